import type { JsonBody } from '../../kernel/json-body.js';
import { ArgumentsEnd } from '../answers/arguments-end.js';
import type { ChatDelta, ToolCallDelta } from '../chat-types.js';
import { readSignature, toExtras } from '../gemini/thought-signatures.js';

import { readCallTarget } from './call-forms.js';

interface TrackedCall {
  readonly id: string;
  /** Whether it came with an id of its provider. */
  readonly hasOwnId: boolean;
  /** The delta that said its name last; 0: none has. */
  namedInDelta: number;
  /** '' until it comes. */
  name: string;
  /** Arguments that came before the name; they are told with it. */
  held: string;
  /** Of the thought behind it; '' until it comes, and told once, as clients join what comes twice. */
  signature: string;
  /** The index that the caller knows the call by; null: not told yet. */
  index: number | null;
  readonly end: ArgumentsEnd;
}

interface CallPiece {
  /** The provider's `index`; null: none. */
  readonly number: number | null;
  /** '' where there is none, likewise `name` and `signature`. */
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly signature: string;
}

// The meter has not seen what waits, so that no output cap ends it.
const heldCharactersMax = 256 * 1024;

/**
 * Gives the pieces of one choice's tool calls the form that OpenAI's clients build on: each call opens once, with an index of its
 * own from 0, an id that no other has, its type and its name, and goes on under that index with arguments alone.
 *
 * Which call a piece belongs to: the one with its `id`; else the last one with its `index`; else, where its `index` is new, a new
 * call; else, where it has no `index`, the call of the piece before. It opens another call all the same where
 * - its name is not that call's, or
 * - that call's arguments are a whole object, and the piece begins a further object with a name, with a new `id` or `index`, or
 *   with neither `id` nor `index`; or that call has its name, and the piece has a new `id` or `index`, or a name alone, or
 * - that call's arguments have not begun, as those of a function without any may never do, the piece says its name again, and is
 *   marked as another: where that call's name was said in the same delta, by a new `id`, or by neither `id` nor `index`; in a later
 *   delta by a new `id` without `index`, beside an `id` that came with that call.
 *
 * So a new `id` alone is no new call, since some servers make one up for each piece; nor is a name that is said again, not even with
 * a new `id` under the same `index`, as vLLM streams calls that are forced. Where ids and indexes lack, whatever comes in later deltas
 * belongs to the call before until its arguments are whole: two calls without arguments are one then. A call is
 * told once its name has come, with the arguments so far: without a name when the choice finishes, or when 256 KiB wait for names.
 * What has neither a name nor arguments by then is no call, and is left out.
 */
export class ToolCallTracker {
  readonly #calls: TrackedCall[] = [];
  readonly #byId = new Map<string, TrackedCall>();
  /** By the provider's index: the call that had a piece under it last. */
  readonly #byNumber = new Map<number, TrackedCall>();
  #last: TrackedCall | null = null;
  #toldCount = 0;
  #deltaCount = 0;
  #heldCharactersLeft = heldCharactersMax;

  /** @param answerId Makes the ids of calls that their provider gave none. */
  constructor(private readonly answerId: string) {}

  get count(): number {
    return this.#calls.length;
  }

  get hasCalls(): boolean {
    return this.#calls.some(isCall);
  }

  /** The pieces of one delta as they are told; fewer, where one has to wait for its call's name. */
  normalise(pieces: readonly JsonBody[]): ToolCallDelta[] {
    this.#deltaCount += 1;
    return pieces.flatMap((piece) => this.#take(readPiece(piece)));
  }

  /**
   * Tells what still waits, as no more can come, when the choice finishes. A call whose arguments never came has none: `{}`,
   * which parses where '' does not.
   */
  completeArguments(delta: ChatDelta): void {
    this.#heldCharactersLeft = 0;
    const pieces = this.#calls.filter(isCall).flatMap((call) => {
      const missing = call.end.isBlank ? '{}' : '';
      if (call.index === null) return [this.#tell(call, missing)];
      return missing === '' ? [] : [{ index: call.index, function: { arguments: missing } }];
    });
    if (pieces.length > 0) delta.tool_calls = [...(delta.tool_calls ?? []), ...pieces];
  }

  #take(piece: CallPiece): ToolCallDelta[] {
    const { number, id, name, text } = piece;
    const call = this.#find(piece) ?? this.#open(id);
    if (number !== null) this.#byNumber.set(number, call);
    if (id !== '') this.#byId.set(id, call);
    this.#last = call;
    if (name !== '') call.namedInDelta = this.#deltaCount;
    call.end.push(text);
    const signature = call.signature === '' ? piece.signature : '';
    call.signature ||= signature;
    if (call.index !== null) return [{ index: call.index, function: { arguments: text }, ...toExtras(signature) }];
    call.name ||= name;
    if (call.name === '' && text.length + signature.length <= this.#heldCharactersLeft) {
      this.#heldCharactersLeft -= text.length + signature.length;
      call.held += text;
      return [];
    }
    return [this.#tell(call, text)];
  }

  #find(piece: CallPiece): TrackedCall | null {
    const { number, id } = piece;
    const byNumber = number === null ? this.#last : (this.#byNumber.get(number) ?? null);
    const call = this.#byId.get(id) ?? byNumber;
    return call === null || this.#isAnother(call, piece) ? null : call;
  }

  #isAnother(call: TrackedCall, piece: CallPiece): boolean {
    const { number, id, name, text } = piece;
    if (name !== '' && call.name !== '' && name !== call.name) return true;
    if (call.end.isBlank) return this.#isBesideBare(call, piece);
    if (!call.end.isWhole) return false;
    const hasNewMark = this.#isNewId(id) || (number !== null && !this.#byNumber.has(number));
    const isUnmarked = id === '' && number === null;
    if (/^\s*\{/.test(text)) return name !== '' || hasNewMark || isUnmarked;
    return call.name !== '' && (hasNewMark || (isUnmarked && name !== ''));
  }

  // Beside a call without arguments.
  #isBesideBare(call: TrackedCall, { number, id, name }: CallPiece): boolean {
    if (name === '' || call.name === '') return false;
    if (call.namedInDelta === this.#deltaCount) return this.#isNewId(id) || (id === '' && number === null);
    return call.hasOwnId && this.#isNewId(id) && number === null;
  }

  #isNewId(id: string): boolean {
    return id !== '' && !this.#byId.has(id);
  }

  #open(id: string): TrackedCall {
    const isTaken = id === '' || this.#byId.has(id);
    const ownId = isTaken ? `${this.answerId}_${this.#calls.length}` : id;
    const marks = { id: ownId, hasOwnId: id !== '', namedInDelta: 0 };
    const call = { ...marks, name: '', held: '', signature: '', index: null, end: new ArgumentsEnd() };
    this.#calls.push(call);
    return call;
  }

  #tell(call: TrackedCall, text: string): ToolCallDelta {
    call.index = this.#toldCount;
    this.#toldCount += 1;
    const { index, id, name, held, signature } = call;
    call.held = '';
    return { index, id, type: 'function', function: { name, arguments: held + text }, ...toExtras(signature) };
  }
}

function isCall({ name, end }: TrackedCall): boolean {
  return name !== '' || !end.isBlank;
}

function readPiece(piece: JsonBody): CallPiece {
  const { index, id, extra_content: extra } = piece;
  const { name, arguments: text } = readCallTarget(piece);
  const number = typeof index === 'number' ? index : null;
  return { number, id: typeof id === 'string' ? id : '', name, text, signature: readSignature(extra) };
}
