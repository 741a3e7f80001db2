import type { Io } from './io.ts';

/** A count that grows in place on a terminal, a few times a second, and is silent elsewhere. */
export function createProgress(io: Io, what: string) {
  let count = 0;
  let shownAt = 0;
  const show = () => io.stderr.write(`\r${count.toLocaleString('en')} ${what}`);
  return {
    add() {
      count++;
      if (!io.stderr.isTTY || Date.now() - shownAt < 200) return;
      shownAt = Date.now();
      show();
    },
    done(): number {
      if (io.stderr.isTTY) {
        show();
        io.stderr.write('\n');
      }
      return count;
    },
  };
}
