import { ERRORS, type RenownError, toErrorBody, toRenownError } from '../core/errors.ts';
import { parseCommandLine, usageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { type Io, styleFor } from './io.ts';
import { printable } from './printable.ts';

/** Runs one command line and answers with its exit code. Errors are printed here, and nowhere else. */
export async function run(args: string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (thrown) {
    const error = toRenownError(thrown);
    await report(error, { asJson: args.includes('--json'), io });
    return ERRORS[error.code].exit;
  }
}

async function dispatch(args: string[], io: Io): Promise<number> {
  // The first word that is no option is the command, wherever it stands: `renown --json score` is understood too.
  const at = args.findIndex((argument) => !argument.startsWith('-'));
  if (at === -1) {
    await overview(args, io);
    return 0;
  }
  const name = args[at];
  const rest = args.toSpliced(at, 1);
  const entry = COMMANDS.find((command) => command.name === name);
  if (!entry) throw usageError(`There is no command "${name}"`, '');
  const command = await entry.load();
  // Help is shown whatever else the line says: whoever asks for it may not have the rest right yet.
  const end = rest.indexOf('--');
  if (
    rest
      .slice(0, end === -1 ? rest.length : end)
      .some((argument) => argument === '--help' || argument === '-h')
  ) {
    const { renderCommandHelp } = await import('./help.ts');
    io.stdout.write(renderCommandHelp(entry, command, styleFor(io.stdout, io.env)));
    return 0;
  }
  return (await command.run(parseCommandLine({ ...command, name: entry.name }, rest), io)) ?? 0;
}

async function overview(args: string[], io: Io): Promise<void> {
  const { renderOverview, VERSION_OPTION } = await import('./help.ts');
  const { packageVersion } = await import('../package/package-version.ts');
  const { options } = parseCommandLine({ name: '', options: [VERSION_OPTION], arguments: [] }, args);
  const version = await packageVersion();
  io.stdout.write(options.version ? `${version}\n` : renderOverview(version, styleFor(io.stdout, io.env)));
}

async function report(error: RenownError, { asJson, io }: { asJson: boolean; io: Io }): Promise<void> {
  if (asJson) {
    const { uuidv7 } = await import('uuidv7');
    io.stderr.write(`${JSON.stringify(toErrorBody(error, uuidv7()))}\n`);
    return;
  }
  const { bold, dim, red } = styleFor(io.stderr, io.env);
  io.stderr.write(`${red(bold('renown:'))} ${printable(error.message)}\n`);
  // The first detail is in the message already.
  for (const { path, message } of error.details?.slice(1) ?? [])
    io.stderr.write(`  ${printable(`${path} ${message}`)}\n`);
  if (error.code === 'internal') {
    const { cause } = error;
    io.stderr.write(`${dim(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))}\n`);
  }
}
