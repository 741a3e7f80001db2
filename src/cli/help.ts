import { ERRORS } from '../core/errors.ts';
import {
  BLOCKED_EXIT,
  COMMON_OPTIONS,
  type Command,
  type CommandOption,
  type Described,
  UNDECIDED_EXIT,
} from './command.ts';
import { COMMANDS } from './commands.ts';
import type { Style } from './io.ts';

/** `renown --help`: what there is, how to begin, what the exit codes mean. */
export function renderOverview(version: string, style: Style): string {
  return [
    `${style.bold('renown')} ${version}: the record of AI agents, turned into trust.`,
    section('Usage', ['renown <command> [options]'], style),
    section('Commands', table(COMMANDS), style),
    section('Options', optionTable([...COMMON_OPTIONS, VERSION_OPTION]), style),
    section('Try it', [`echo '{"evaluations":[[true,3],[true,5]]}' | renown score reputation`], style),
    section('Exit codes', exitCodes(), style),
    `\n${style.dim('`renown <command> --help` tells more about a command.')}\n`,
  ].join('\n');
}

export function renderCommandHelp({ name, summary }: Described, command: Command, style: Style): string {
  return [
    `${style.bold(`renown ${name}`)}: ${summary}.`,
    section('Usage', [`renown ${command.usage}`], style),
    section('Arguments', table(command.arguments), style),
    section('Options', optionTable([...command.options, ...COMMON_OPTIONS]), style),
    section(
      'Examples',
      command.examples.flatMap(({ says, line }) => [style.dim(`# ${says}`), line]),
      style,
    ),
    '',
  ].join('\n');
}

export const VERSION_OPTION: CommandOption = {
  name: 'version',
  type: 'boolean',
  short: 'V',
  summary: 'Print the version',
};

function section(title: string, lines: readonly string[], style: Style): string {
  return lines.length === 0 ? '' : `\n${style.bold(title)}\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

function table(rows: readonly Described[]): string[] {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`);
}

function optionTable(options: readonly CommandOption[]): string[] {
  return table(
    options.map(({ name, type, short, summary }) => ({
      name: `${short === undefined ? '    ' : `-${short}, `}--${name}${type === 'string' ? ' <value>' : ''}`,
      summary,
    })),
  );
}

/** One line for each exit code, from the table of errors. */
function exitCodes(): string[] {
  const titles = new Map([
    [0, 'Done.'],
    [BLOCKED_EXIT, 'A gate blocked the output, or a check failed.'],
    [UNDECIDED_EXIT, 'A check found too little evidence.'],
  ]);
  for (const { exit, title } of Object.values(ERRORS)) {
    const earlier = titles.get(exit);
    titles.set(exit, earlier === undefined ? title : `${earlier} ${title}`);
  }
  return table(
    [...titles].sort(([a], [b]) => a - b).map(([exit, summary]) => ({ name: String(exit), summary })),
  );
}
