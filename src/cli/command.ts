import { parseArgs } from 'node:util';
import { RenownError } from '../core/errors.ts';
import type { Io } from './io.ts';

/** One argument or option as the help shows it. */
export interface Described {
  name: string;
  summary: string;
}

export interface CommandOption extends Described {
  type: 'boolean' | 'string';
  short?: string;
}

/** A command of the CLI: what its help says, what it accepts, and what it does. Its name stands in the list of commands. */
export interface Command {
  /** The command line behind `renown`, as people write it. */
  usage: string;
  arguments: readonly Described[];
  /** The last argument may be many. */
  variadic?: boolean;
  options: readonly CommandOption[];
  examples: readonly { says: string; line: string }[];
  /** Answers with an exit code where the verdict has one; 0 otherwise. */
  run(input: CommandInput, io: Io): Promise<void> | Promise<number>;
}

export interface CommandInput {
  positionals: string[];
  options: Record<string, string | boolean | undefined>;
}

/** The exit code of a verdict: the command worked, and the answer is no. */
export const BLOCKED_EXIT = 10;
/** The command worked, and nobody can tell yet. */
export const UNDECIDED_EXIT = 11;

/** Every command takes these. */
export const COMMON_OPTIONS: readonly CommandOption[] = [
  { name: 'json', type: 'boolean', summary: 'One compact line of JSON for programs; errors as JSON too' },
  { name: 'help', type: 'boolean', short: 'h', summary: 'Show this help' },
];

/** Splits a command's arguments from its options, and refuses what the command does not know. */
export function parseCommandLine(
  command: Pick<Command, 'options' | 'arguments' | 'variadic'> & { name: string },
  args: string[],
): CommandInput {
  const options = Object.fromEntries(
    [...command.options, ...COMMON_OPTIONS].map(({ name, type, short }) => [
      name,
      { type, ...(short !== undefined && { short }) },
    ]),
  );
  const { values, positionals } = parseStrictly(args, options, command.name);
  const surplus = positionals[command.arguments.length];
  if (surplus !== undefined && !command.variadic)
    throw usageError(`"${surplus}" is one argument too many`, command.name);
  return { positionals, options: values as CommandInput['options'] };
}

export function usageError(what: string, commandName: string): RenownError {
  const help = commandName === '' ? 'renown --help' : `renown ${commandName} --help`;
  return new RenownError('usage', `${what}. Run \`${help}\` to see what it takes.`);
}

function parseStrictly(
  args: string[],
  options: NonNullable<Parameters<typeof parseArgs>[0]>['options'],
  name: string,
) {
  try {
    return parseArgs({ args, ...(options && { options }), allowPositionals: true, strict: true });
  } catch (error) {
    // Node's message has a first sentence that says it all, and hints after it that do not fit here.
    const [sentence = 'The options could not be read'] = (error as Error).message.split(/\.(?:\s|$)/);
    throw usageError(sentence.replaceAll("'", '"'), name);
  }
}
