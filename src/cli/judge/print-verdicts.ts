import { type Io, styleFor } from '../io.ts';
import { writeLine } from '../write-line.ts';
import type { VerdictWire } from './render-card.ts';

export const FORMATS = ['yaml', 'json', 'table'] as const;
export type Format = (typeof FORMATS)[number];

/** One verdict as itself, several as a list in JSON, as documents in YAML, as rows in a table. */
export async function printVerdicts(
  verdicts: readonly VerdictWire[],
  { format, isList, io }: { format: Format; isList: boolean; io: Io },
): Promise<void> {
  if (format === 'json') {
    await writeLine(io.stdout, JSON.stringify(isList || verdicts.length !== 1 ? verdicts : verdicts[0]));
  } else if (format === 'table') {
    const { renderCard, renderTable } = await import('./render-card.ts');
    const style = styleFor(io.stdout, io.env);
    const isOne = !isList && verdicts.length > 0;
    await writeLine(
      io.stdout,
      isOne ? verdicts.map((one) => renderCard(one, style)).join('\n') : renderTable(verdicts),
    );
  } else {
    const { stringify } = await import('yaml');
    // Written one after another: hundreds of verdicts need not be one text.
    for (const [i, verdict] of verdicts.entries()) {
      await writeLine(io.stdout, `${i > 0 ? '---\n' : ''}${stringify(verdict, { lineWidth: 0 }).trimEnd()}`);
    }
  }
}
