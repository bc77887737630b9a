/** Those who asked again for what a call is making, and wait for its end or still read it; its own caller is none of them. */
export class CallWaiters {
  #count = 0;
  #onNone: () => void = () => {};

  /** How many there are now. */
  get count(): number {
    return this.#count;
  }

  /** Counts one more. @returns what is to be called when they wait no longer; more than once is the same as once. */
  enter(): () => void {
    this.#count += 1;
    let isWaiting = true;
    return () => {
      if (!isWaiting) return;
      isWaiting = false;
      this.#count -= 1;
      if (this.#count === 0) this.#onNone();
    };
  }

  /** Calls this once nobody waits, at once where that is so already. Like `onNone` it takes the place of the listener before. */
  whenNone(listener: () => void): void {
    if (this.#count === 0) listener();
    else this.onNone(listener);
  }

  /** Calls this each time that the last of them waits no longer. There is one listener, the newest. */
  onNone(listener: () => void): void {
    this.#onNone = listener;
  }
}
