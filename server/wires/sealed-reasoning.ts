import { isJsonObject, type JsonBody } from '../kernel/json-body.js';
import { JsonGauge } from '../kernel/json-gauge.js';

/*
 * What a provider wants back with the next turn: signed thinking, and the signatures of calls. Neither Responses nor Messages
 * has a place for it but a text that clients keep and send back as it came: `encrypted_content` there, `signature` here. It is
 * packed, not secret: its caller was told all of it, and a provider that signs its thinking sees whether it was changed.
 */

/** What one item or block of reasoning brings back. */
export interface KeptReasoning {
  /** `reasoning_details` of the chat wire. */
  readonly details: readonly JsonBody[];
  /** `reasoning_content` of the chat wire; '' for none. */
  readonly text: string;
  /** By the id of a call: the signature of the thought that led to it. */
  readonly signatures: ReadonlyMap<string, string>;
}

const mark = 'tollgate1.';
const sealedCharactersMax = 1024 * 1024;
// Far more than one turn of thinking has.
const limits = { valuesMax: 4_096, levelsMax: 4 };
const detailFields = ['type', 'text', 'signature', 'data', 'format', 'model', 'index', 'after'] as const;

/** @param text Plain thinking that its reader may want back, where `details` has none. */
export function sealReasoning(
  details: readonly JsonBody[],
  signatures: ReadonlyMap<string, string>,
  text = '',
): string {
  const json = JSON.stringify({ details, signatures: [...signatures], ...(text === '' ? {} : { text }) });
  return mark + Buffer.from(json).toString('base64url');
}

// More than any client sends back, and few enough to be handed from thread to thread in no time.
const detailsMax = 8_192;

/** Opens what `sealReasoning` made, for one request, which may bring back so much and no more. */
export class ReasoningOpener {
  #detailsLeft = detailsMax;

  /** @returns null for anything else, such as what another service encrypted, and for what is too much. */
  open(sealed: unknown): KeptReasoning | null {
    if (typeof sealed !== 'string' || !sealed.startsWith(mark) || sealed.length > sealedCharactersMax) return null;
    const bytes = Buffer.from(sealed.slice(mark.length), 'base64url');
    const gauge = new JsonGauge(limits);
    gauge.push(bytes);
    if (gauge.excess !== null) return null;
    const value = parse(bytes.toString('utf8'));
    if (!isJsonObject(value) || !Array.isArray(value.details) || !Array.isArray(value.signatures)) return null;
    this.#detailsLeft -= value.details.length + value.signatures.length;
    if (this.#detailsLeft < 0) return null;
    return {
      details: value.details.filter(isJsonObject).map(pickDetail),
      text: typeof value.text === 'string' ? value.text : '',
      signatures: new Map(value.signatures.filter(isPairOfTexts)),
    };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pickDetail(detail: JsonBody): JsonBody {
  const fields = detailFields.filter((name) => typeof detail[name] === 'string' || typeof detail[name] === 'number');
  return Object.fromEntries(fields.map((name) => [name, detail[name]]));
}

function isPairOfTexts(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((item) => typeof item === 'string');
}
