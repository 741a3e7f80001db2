import { run } from './run.ts';

// A reader that has seen enough (`renown … | head`) closes the pipe: that is its right, not our failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), process);
