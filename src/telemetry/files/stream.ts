import type { ByteLines } from './byte-lines.ts';

/** What comes by itself, once it has begun. */
export class Stream {
  isOver = false;
  /** Given up at the end, because its buffer may be large. */
  #lines: ByteLines | null;
  #told = 0;
  #isEndNew = false;
  #failure: unknown;
  #wake: () => void = () => undefined;

  /** `ending` says whether the end of it was a line too. */
  constructor(lines: ByteLines, ending: Promise<boolean>) {
    this.#lines = lines;
    const end = () => {
      this.isOver = true;
      this.#lines = null;
      this.#wake();
    };
    ending.then(
      (hasRest) => {
        this.#isEndNew = hasRest || lines.consumed > this.#told;
        end();
      },
      (error) => {
        this.#failure = error;
        end();
      },
    );
  }

  /** Until its end, or for so long if that is given. Throws what reading threw. */
  async wait(ms: number | null): Promise<void> {
    if (!this.isOver) {
      await new Promise<void>((resolve) => {
        const timer = ms === null ? undefined : setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Whether anything has come since it was last asked. */
  takeNews(): boolean {
    const consumed = this.#lines?.consumed ?? this.#told;
    const isNew = consumed > this.#told || this.#isEndNew;
    this.#told = consumed;
    this.#isEndNew = false;
    return isNew;
  }
}
