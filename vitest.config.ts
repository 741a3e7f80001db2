import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    reporters: ['default', './test/support/counts-reporter.ts'],
    testTimeout: 60_000,
    // Vitest would take one worker on two cores. Suites that wait for an engine or a child process leave theirs idle.
    maxWorkers: 3,
  },
});
