import { RenownError } from '../core/errors.ts';

/** Fields of a request, and the options of a command line that they came from. */
export type OptionNames = Readonly<Record<string, string>>;

/** Asks the API, and has its refusals speak of options: whoever typed them never saw the fields. */
export async function namingOptions<T>(names: OptionNames, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RenownError) || !error.details) throw error;
    const details = error.details.map(({ path, message }) => ({ path: rename(path, names), message }));
    throw new RenownError(error.code, rename(error.message, names), { details, cause: error });
  }
}

/** A path stands at the beginning of a message, and may go on behind it: `--thresholds agent_reliability must be …`. */
function rename(text: string, names: OptionNames): string {
  const field = Object.keys(names)
    .sort((a, b) => b.length - a.length)
    .find((name) => text.startsWith(name) && !/\w/.test(text.charAt(name.length)));
  return field === undefined ? text : `${names[field]}${text.slice(field.length).replace(/^\./, ' ')}`;
}
