/**
 * Keeps a tail short: rows that a reading has to look through until they are gathered into something quicker. Looks
 * between commits whether it is time, and sees to it that one gathering at a time is under way.
 */
interface KeeperOptions {
  isDue(): boolean;
  /** Leaves no tail behind. */
  save(): Promise<void>;
}

export class TailKeeper {
  readonly #options: KeeperOptions;
  #saving: Promise<void> | null = null;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** To be called between commits. */
  look(): void {
    if (this.#saving !== null || !this.#options.isDue()) return;
    // A failure is no loss: the tail is longer until the next time, and the write that is short of room says so itself.
    this.#saving = this.#options
      .save()
      .catch(() => undefined)
      .finally(() => {
        this.#saving = null;
      });
  }

  /** Leaves no tail behind. */
  async close(): Promise<void> {
    await this.#saving;
    await this.#options.save();
  }
}
