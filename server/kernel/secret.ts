import { inspect } from 'node:util';

/** A text that must not be shown: logs, JSON and inspection print «secret». Only `reveal` gives it out, so grep finds every use. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '«secret»';
  }

  toJSON(): string {
    return '«secret»';
  }

  [inspect.custom](): string {
    return '«secret»';
  }
}
