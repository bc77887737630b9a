import type { JsonBody } from '../kernel/json-body.js';
import { findTextSplice, type TextSplice } from './text-splice.js';

/** An event that comes again and again and differs in one text alone: its fields, as they go on behind the type. */
export interface TextEvent extends TextSplice {
  readonly type: string;
}

export interface EventBufferOptions {
  /** Whether each event has its place in the stream as `sequence_number`, from 0. */
  readonly isNumbered?: boolean;
}

/**
 * Writes once what stands around the text of an event.
 * @param toFields The fields of the event, the same for every text but for the text, which stands in them once. They may hold
 * nothing that a caller or a provider wrote.
 */
export function createTextEvent(type: string, toFields: (text: string) => JsonBody): TextEvent {
  const splice = findTextSplice((text) => writeFields(toFields(text)));
  if (splice === null) throw new Error(`${type} has no one text.`);
  return { type, ...splice };
}

/** The named events of one stream that were told and not taken yet, as text. Of a plain answer nothing is told. */
export class EventBuffer {
  readonly #isNumbered: boolean;
  #text = '';
  #count = 0;
  #isOn = true;

  constructor({ isNumbered = false }: EventBufferOptions = {}) {
    this.#isNumbered = isNumbered;
  }

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
    if (this.#isOn) this.#write(type, writeFields(fields));
  }

  /** Tells the same as `tell` with the fields of this event and this text, for less. */
  tellText({ type, before, after }: TextEvent, text: string): void {
    if (this.#isOn) this.#write(type, `${before}${JSON.stringify(text)}${after}`);
  }

  /** Gives what was told since the last time. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  #write(type: string, fields: string): void {
    const number = this.#isNumbered ? `,"sequence_number":${this.#count}` : '';
    this.#count += 1;
    this.#text += `event: ${type}\ndata: {"type":"${type}"${number}${fields}\n\n`;
  }
}

// As they go on behind the type.
function writeFields(fields: JsonBody): string {
  const written = JSON.stringify(fields);
  return written === '{}' ? '}' : `,${written.slice(1)}`;
}
