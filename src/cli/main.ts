import { ERRORS } from '../core/errors.ts';
import { run } from './run.ts';

// A reader that has seen enough (`renown … | head`) closes the pipe: that is its right, not our failure.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0);
  process.stderr.write(`renown: Standard output could not be written (${code}).\n`);
  process.exit(ERRORS.internal.exit);
});
// Nobody reads what went wrong: the exit code still says it.
process.stderr.on('error', () => undefined);

process.exitCode = await run(process.argv.slice(2), process);
