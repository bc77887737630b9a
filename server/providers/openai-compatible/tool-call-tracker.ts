import type { ChatDelta, ToolCallDelta } from '../chat-types.js';
import { isObject } from '../json-object.js';
import { normaliseArguments } from './normalise-choice.js';

interface TrackedCall {
  readonly id: string;
  hasArguments: boolean;
}

/**
 * Gives the pieces of one choice's tool calls the indexes that OpenAI's clients build on. Some servers leave the index
 * out, or number every call 0; the official SDK then drops calls or runs two into one.
 */
export class ToolCallTracker {
  readonly #calls: TrackedCall[] = [];
  /** The id of a call -> its index. */
  readonly #places = new Map<string, number>();
  /** The provider's index -> ours. */
  readonly #indexes = new Map<number, number>();

  get count(): number {
    return this.#calls.length;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  /** The pieces of one delta, each with a right index; its first piece opens a call with id, type and name. */
  normalise(pieces: readonly unknown[]): ToolCallDelta[] {
    return pieces.filter(isObject).map((piece) => this.#normalisePiece(piece));
  }

  /** A call whose arguments never came has none: `{}`, which parses where '' does not. Asked when the choice finishes. */
  completeArguments(delta: ChatDelta): void {
    const missing = this.#calls.flatMap((call, index) => (call.hasArguments ? [] : [index]));
    if (missing.length === 0) return;
    const pieces = missing.map((index) => ({ index, function: { arguments: '{}' } }));
    delta.tool_calls = [...(delta.tool_calls ?? []), ...pieces];
  }

  #normalisePiece(piece: Record<string, unknown>): ToolCallDelta {
    const id = typeof piece.id === 'string' ? piece.id : '';
    const isNew = this.#isNewCall(piece.index, id);
    const index = isNew ? this.#open(piece.index, id) : this.#findIndex(piece.index, id);
    const target = isObject(piece.function) ? piece.function : {};
    const text = normaliseArguments(target.arguments);
    const call = this.#calls[index];
    if (call && text !== '') call.hasArguments = true;
    if (!isNew) return { index, function: { arguments: text } };
    return {
      index,
      id: call?.id ?? id,
      type: 'function',
      function: { name: String(target.name ?? ''), arguments: text },
    };
  }

  #isNewCall(theirIndex: unknown, id: string): boolean {
    if (id !== '') return !this.#places.has(id);
    if (this.#calls.length === 0) return true;
    return typeof theirIndex === 'number' && !this.#indexes.has(theirIndex);
  }

  #open(theirIndex: unknown, id: string): number {
    const index = this.#calls.length;
    const knownId = id || `call_${index}`;
    this.#calls.push({ id: knownId, hasArguments: false });
    if (!this.#places.has(knownId)) this.#places.set(knownId, index);
    this.#indexes.set(typeof theirIndex === 'number' ? theirIndex : index, index);
    return index;
  }

  #findIndex(theirIndex: unknown, id: string): number {
    const byId = id === '' ? undefined : this.#places.get(id);
    if (byId !== undefined) return byId;
    const byIndex = typeof theirIndex === 'number' ? this.#indexes.get(theirIndex) : undefined;
    return byIndex ?? this.#calls.length - 1;
  }
}
