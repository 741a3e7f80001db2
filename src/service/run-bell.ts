/** Tells the scheduler of this node that there is a run to carry out, so that it need not wait for its next look. */
export class RunBell {
  #listener: () => void = () => {};

  ring(): void {
    this.#listener();
  }

  listen(listener: () => void): void {
    this.#listener = listener;
  }
}
