import type { JsonBody } from '../kernel/json-body.js';

/** The named events of one stream that were told and not taken yet, as text. Of a plain answer nothing is told. */
export class EventBuffer {
  #text = '';
  #count = 0;
  #isOn = true;

  /** How many were told. */
  get count(): number {
    return this.#count;
  }

  /** The answer is a plain one. */
  turnOff(): void {
    this.#isOn = false;
  }

  /** Tells an event, whose data begins with its type. */
  tell(type: string, fields: JsonBody): void {
    if (!this.#isOn) return;
    this.#count += 1;
    this.#text += `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  }

  /** Gives what was told since the last time. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}
