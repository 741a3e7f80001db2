/** The Renown server that a command line names with --url and --key, or else the environment. */
import { type CommandInput, usageError } from './command.ts';
import type { Io } from './io.ts';

/** A value, and who gave it: `--url` or `RENOWN_URL`. */
export interface Named {
  value: string;
  from: string;
  /** What is in the environment may be meant for somebody else; an option is meant for us. */
  isOption: boolean;
}

export interface NamedServer {
  url: Named | undefined;
  key: Named | undefined;
}

export function namedServer({ options }: CommandInput, { env }: Io): NamedServer {
  const named = (name: 'url' | 'key'): Named | undefined => {
    const option = options[name];
    if (typeof option === 'string') return { value: option, from: `--${name}`, isOption: true };
    const variable = `RENOWN_${name.toUpperCase()}`;
    // A variable that is empty was meant to be unset.
    const value = env[variable];
    return value ? { value, from: variable, isOption: false } : undefined;
  };
  return { url: named('url'), key: named('key') };
}

/** The address that paths are added to. Without a scheme nothing would answer, and nobody would know why. */
export function addressOf({ value, from }: Named, commandName: string): string {
  if (!/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value))
    throw usageError(
      `${from} must be an http or https URL, as http://127.0.0.1:4747, and "${value}" is none`,
      commandName,
    );
  return value.replace(/\/+$/, '');
}
