import {
  type ChatCompletionChunk,
  type ChatDelta,
  type ChunkChoice,
  otherOutput,
  sameButWords,
} from '../chat-types.js';

/** An event that brought the next words and nothing else. */
interface KnownEvent {
  /** What stands around its words. */
  readonly before: string;
  readonly after: string;
  readonly chunk: ChatCompletionChunk;
  readonly choice: ChunkChoice;
  readonly delta: ChatDelta;
}

const probe = 'probe 7c1e9a04';
// Without these the inside of a JSON text is the text itself.
const needsReading = /["\\\p{Cc}]/u;
/** What changes from event to event for longer is not worth the trying. */
const lessonsMax = 8;

/**
 * Knows the events of a stream that only bring its next words. One that was parsed in full shows what stands around the words; a later
 * one with exactly the same around them is the same but for its words, and is not parsed. Whatever differs in one character,
 * or has an escape in its words, is not known here.
 */
export class PlainEvents {
  #known: KnownEvent | null = null;
  #lessonsLeft = lessonsMax;

  /**
   * Looks whether later events may be like this one.
   * @param data as it came
   * @param chunk all that was made of it
   */
  learn(data: string, chunk: ChatCompletionChunk): void {
    const [choice, another] = chunk.choices;
    if (this.#lessonsLeft === 0 || choice === undefined || another !== undefined || choice.finish_reason !== null)
      return;
    const { delta } = choice;
    const { content } = delta;
    if (typeof content !== 'string' || content === '') return;
    this.#lessonsLeft -= 1;
    if (!isFlatBut('choices', chunk) || !isFlatBut('delta', choice) || !isFlatBut('content', delta)) return;
    const written = JSON.stringify(content);
    const start = data.lastIndexOf(written);
    if (start < 0) return;
    const before = data.slice(0, start + 1);
    const after = data.slice(start + written.length - 1);
    if (!isPlaceOfWords(data, { before, after, content })) return;
    // What else stands in it came once, however often it is told.
    const { [otherOutput]: _, ...head } = chunk;
    head[sameButWords] = {};
    this.#known = { before, after, chunk: head, choice: { ...choice }, delta: { ...delta } };
  }

  /** The piece of the answer that is in this event; null: it has to be parsed. */
  read(data: string): ChatCompletionChunk | null {
    const known = this.#known;
    if (known === null) return null;
    const { before, after, chunk, choice, delta } = known;
    const end = data.length - after.length;
    // A fifth of what `startsWith` and `endsWith` take for texts as long as these (Node.js 20).
    if (end <= before.length || data.slice(0, before.length) !== before || data.slice(end) !== after) return null;
    const content = data.slice(before.length, end);
    if (needsReading.test(content)) return null;
    // Set on the copies: to name a field behind what is spread takes V8 its slow way for each.
    const words = { ...delta };
    words.content = content;
    const piece = { ...choice };
    piece.delta = words;
    const event = { ...chunk };
    event.choices = [piece];
    return event;
  }
}

// Lists and objects would be shared by all pieces.
function isFlatBut(name: string, fields: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(fields).every(
    ([field, value]) => field === name || typeof value !== 'object' || value === null,
  );
}

// The same text may stand in the event twice, and so may the field; only the place that is read last makes the words.
function isPlaceOfWords(
  data: string,
  { before, after, content }: { readonly before: string; readonly after: string; readonly content: string },
): boolean {
  const probed = JSON.parse(`${before}${probe}${after}`);
  const delta = probed?.choices?.[0]?.delta;
  if (delta?.content !== probe) return false;
  delta.content = content;
  return JSON.stringify(probed) === JSON.stringify(JSON.parse(data));
}
