const quote = 0x22;
const backslash = 0x5c;
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Follows the arguments of one call, which come in pieces cut anywhere, and knows when they are whole. Keeps none of the text. */
export class ArgumentsEnd {
  #state: 'blank' | 'object' | 'whole' | 'other' = 'blank';
  #level = 0;
  #isInText = false;
  #isEscaped = false;

  /** Whether nothing has come, or only white space. */
  get isBlank(): boolean {
    return this.#state === 'blank';
  }

  /** Whether the object that arguments are was closed. Never of what does not begin as an object. */
  get isWhole(): boolean {
    return this.#state === 'whole';
  }

  /** Takes the next piece of the text. */
  push(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      if (this.#state === 'whole' || this.#state === 'other') return;
      this.#pushUnit(text.charCodeAt(at));
    }
  }

  #pushUnit(unit: number): void {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (unit === backslash) this.#isEscaped = true;
      else if (unit === quote) this.#isInText = false;
      return;
    }
    if (this.#state === 'blank') {
      if (blanks.has(unit)) return;
      this.#state = unit === 0x7b ? 'object' : 'other';
    }
    if (unit === quote) this.#isInText = true;
    // [ and {, ] and }: the same but for one bit.
    else if (unit === 0x5b || unit === 0x7b) this.#level += 1;
    else if (unit === 0x5d || unit === 0x7d) this.#level -= 1;
    if (this.#level === 0) this.#state = 'whole';
  }
}
