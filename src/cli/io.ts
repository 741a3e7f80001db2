/** Where a command reads and writes. Everything the CLI knows of its surroundings comes through here. */
export interface Io {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  env: Record<string, string | undefined>;
}

/** Text decorations that are empty unless a person is looking. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
}

/** Colour only on a terminal that can show it, and never where NO_COLOR is set, even to nothing. */
export function styleFor(stream: { isTTY?: boolean }, env: Io['env']): Style {
  const colour = stream.isTTY === true && env.NO_COLOR === undefined && env.TERM !== 'dumb';
  const wrap = (on: number, off: number) => (text: string) =>
    colour ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39) };
}
