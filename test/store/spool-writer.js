// Appends to a spool until it is refused, then says how often it was not, and how. The caller has set a limit on files.
import { Spool } from '../../src/store/spool.ts';

const spool = await Spool.open(process.argv[2] ?? '', { bytesMax: 1e9 });
let written = 0;
try {
  for (;;) {
    await spool.append({ number: written, text: 'x'.repeat(3_000) });
    written++;
  }
} catch (error) {
  const { code } = /** @type {{ code: string }} */ (error);
  process.stdout.write(JSON.stringify({ written, code }));
}
