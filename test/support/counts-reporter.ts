import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with `N passed, N failed` alone on a line, counted from the results, for readers of CI logs. */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++;
      // A file that could not even be loaded has no tests to count, and must not look like a success.
      counts.failed += module.errors().length;
    }
    if (counts.skipped > 0) process.stdout.write(`\n${counts.skipped} skipped: their names say why.\n`);
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed + counts.pending} failed\n`);
  }
}
