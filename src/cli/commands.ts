import type { Command } from './command.ts';

interface Entry {
  name: string;
  summary: string;
  load(): Promise<Command>;
}

/** All commands. A command's file is loaded only when it runs, so that `renown --help` stays quick. */
export const COMMANDS: readonly Entry[] = [
  {
    name: 'serve',
    summary: 'Run the service: reputation over HTTP, on the embedded store',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'orgs',
    summary: 'Create or list orgs',
    load: async () => (await import('./commands/orgs.ts')).orgs,
  },
  {
    name: 'keys',
    summary: 'Create, list or revoke the keys of an org',
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  {
    name: 'doctor',
    summary: 'Check store, port, clock and keys, and say what to do',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'score',
    summary: 'Compute one of the five scores from JSON, with its parts',
    load: async () => (await import('./commands/score.ts')).score,
  },
  {
    name: 'signals',
    summary: 'Measure the signals of a transcript, without a model, and keep them',
    load: async () => (await import('./commands/signals.ts')).signals,
  },
  {
    name: 'run',
    summary: 'Score sessions by both metrics, and see what runs found',
    load: async () => (await import('./commands/run.ts')).run,
  },
  {
    name: 'monitor',
    summary: 'Score sessions on a cadence',
    load: async () => (await import('./commands/monitor.ts')).monitor,
  },
  {
    name: 'session',
    summary: 'Show one session: both metrics, the quadrant, the flagged traces and why',
    load: async () => (await import('./commands/session.ts')).session,
  },
  {
    name: 'gate',
    summary: 'Judge one output by gates; exit code 10 when it is blocked',
    load: async () => (await import('./commands/gate.ts')).gate,
  },
  {
    name: 'gates',
    summary: 'Show or choose the gates that the server judges by',
    load: async () => (await import('./commands/gates.ts')).gates,
  },
  {
    name: 'proxy',
    summary: 'Stand between an MCP client and its server, and stop what a gate blocks',
    load: async () => (await import('./commands/proxy.ts')).proxy,
  },
  {
    name: 'check',
    summary: 'Whether an agent or a session is good enough; exit code 0, 10 or 11',
    load: async () => (await import('./commands/check.ts')).check,
  },
  {
    name: 'card',
    summary: 'All five scores of an agent',
    load: async () => (await import('./commands/card.ts')).card,
  },
  {
    name: 'explain',
    summary: 'What moved a score between two moments',
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  {
    name: 'compare',
    summary: 'Set two versions, models or gate suites of an agent side by side',
    load: async () => (await import('./commands/compare.ts')).compare,
  },
  {
    name: 'receipt',
    summary: 'Issue a signed statement of a reputation, or verify one offline',
    load: async () => (await import('./commands/receipt.ts')).receipt,
  },
  {
    name: 'alerts',
    summary: 'Where alerts go, and whether they arrive',
    load: async () => (await import('./commands/alerts.ts')).alerts,
  },
  {
    name: 'mcp',
    summary: 'Serve reputation, checks and session scores to agents as MCP tools',
    load: async () => (await import('./commands/mcp.ts')).mcp,
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
