import type { Command } from './command.ts';

interface Entry {
  name: string;
  summary: string;
  load(): Promise<Command>;
}

/** All commands. A command's file is loaded only when it runs, so that `renown --help` stays quick. */
export const COMMANDS: readonly Entry[] = [
  {
    name: 'score',
    summary: 'Compute one of the five scores from JSON, with its parts',
    load: async () => (await import('./commands/score.ts')).score,
  },
];
