import { AppError } from '../../kernel/app-error.js';
import type { JsonExcess, JsonLimits } from '../../kernel/json-gauge.js';
import type { WireName } from './parse-request.js';

/** What may be in one body: more than any client sends, and little enough that no walk over it is long. */
export const bodyLimits: JsonLimits = { valuesMax: 100_000, levelsMax: 64 };

/** As many tokens as OpenAI takes in one call of embeddings, and a little more. */
const embeddingsLimits: JsonLimits = { valuesMax: 310_000, levelsMax: 64 };

/** What may be in a body of this form. */
export function limitsOf(wire: WireName): JsonLimits {
  return wire === 'embeddings' ? embeddingsLimits : bodyLimits;
}

/** A body that came in whole and within `bodyLimits`, not parsed yet. */
export type ReceivedBody = SmallBody | LargeBody;

interface SmallBody {
  readonly isLarge: false;
  readonly text: string;
}

/** One whose reading would hold the event loop. */
export interface LargeBody {
  readonly isLarge: true;
  /** Its bytes in order, in blocks that nobody else uses. They are gone once the body was handed to another thread. */
  readonly blocks: readonly Uint8Array<ArrayBuffer>[];
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string;
}

/** Tells a body from every other one: its text, or, for a large one, what stands for it. */
export function identifyBody(body: ReceivedBody): string {
  return body.isLarge ? `sha256:${body.hash}` : body.text;
}

/** The refusal of a body that has more in it than its limits allow. */
export function createExcessError(excess: JsonExcess, { valuesMax, levelsMax }: JsonLimits = bodyLimits): AppError {
  if (excess === 'levels') {
    return new AppError('invalid_value', `The body is nested more than ${levelsMax} levels deep. Flatten it.`);
  }
  return new AppError(
    'invalid_value',
    `The body has more than ${valuesMax.toLocaleString('en')} values: items of lists and members of objects. Send fewer.`,
  );
}
