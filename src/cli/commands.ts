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
  {
    name: 'judge',
    summary: 'Say how a session of a coding agent went, from its telemetry or transcript',
    load: async () => (await import('./commands/judge.ts')).judge,
  },
  {
    name: 'sessions',
    summary: 'List the sessions that telemetry or transcripts tell of',
    load: async () => (await import('./commands/sessions.ts')).sessions,
  },
  {
    name: 'export',
    summary: 'Write everything the ledger holds as JSON Lines',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  {
    name: 'import',
    summary: 'Read what `renown export` wrote; what the ledger has already is left alone',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  {
    name: 'backup',
    summary: 'Copy the ledger to a new file that can be opened in its place',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
];
