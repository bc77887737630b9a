import { isJsonObject, toText } from '../../kernel/json-body.js';
import { type ChatCompletion, type ChatCompletionChunk, otherOutput } from '../chat-types.js';

/*
 * Which fields of an answer are no output of its own: they say something about the answer, or are counted where they are read. Whatever is
 * not listed was generated, so that a name of tomorrow is kept and counted.
 */

/** The name of a field that is no output -> whether it is none whatever it holds, and not only where that is a single value. */
type Listed = ReadonlyMap<string, boolean>;

/** Marks wherever they stand, as long as they hold a single value. */
const marks =
  'type id index object role created model system_fingerprint finish_reason logprobs ' +
  'signature thought_signature thoughtSignature encrypted_content';

function list(singleValues: string, whateverTheyHold: string): Listed {
  const single = `${marks} ${singleValues}`.split(' ').map((name) => [name, false] as const);
  return new Map([...single, ...whateverTheyHold.split(' ').map((name) => [name, true] as const)]);
}

/** Beside the choices. */
const answerFields = list(
  'name service_tier request_id',
  'choices usage citations search_results metadata kv_transfer_params prompt_logprobs prompt_token_ids timings stats model_info runtime perf_metrics base_resp nvext',
);

/** Of a choice, beside what it says. */
const choiceFields = list(
  'name native_finish_reason stop_reason matched_stop',
  'message delta logprobs usage content_filter_result content_filter_results content_filter_offsets token_ids prompt_token_ids routed_experts',
);

/** Of what a choice says. */
const saidFields = list(
  'name tool_call_id channel',
  'content refusal reasoning reasoning_content reasoning_details images tool_calls function_call logprobs token_ids annotations extra_content',
);

/** The names of `marks`; inside of an unlisted value there are no others. */
export const markers: ReadonlySet<string> = new Set(marks.split(' '));

// What is told again and again, such as the state of a search, was made once; more and larger values than these are not remembered.
const valuesRememberedMax = 32;
const bytesRememberedMax = 4_096;

/**
 * How much a value has that can have been generated, in bytes of its texts, numbers and truth values; 0 for markers and what is empty.
 * @param isTextAlone Numbers and truth values are marks, too.
 */
export function measureOutput(value: unknown, isTextAlone = false): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number' || value === true) return isTextAlone ? 0 : toText(value).length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 0;
  if (Array.isArray(value)) for (const item of value) bytes += measureOutput(item, isTextAlone);
  else
    for (const [name, member] of Object.entries(value))
      if (typeof member === 'object' || !markers.has(name)) bytes += measureOutput(member, isTextAlone);
  return bytes;
}

interface FoundOutput {
  bytes: number;
  readonly parts: (readonly [name: string, value: unknown])[];
}

/** Finds what one answer brings in fields that nobody lists, be it whole or in pieces. */
export class OtherOutputFinder {
  /** By the place of the field: its last value, as JSON; null: there was none. */
  #known: Map<string, string> | null = null;

  /** Notes it on the answer, or on this piece of it; what stood in the same place of the piece before is not noted again. */
  note(answer: ChatCompletion | ChatCompletionChunk): void {
    let found = this.#find(answer, answerFields, '', null);
    for (const choice of answer.choices) {
      const said = choice.message ?? choice.delta;
      found = this.#find(choice, choiceFields, choice.index, found);
      if (isJsonObject(said)) found = this.#find(said, saidFields, choice.index, found);
    }
    if (found !== null) answer[otherOutput] = { ...found, choice: answer.choices[0]?.index ?? 0 };
  }

  // Nearly always there is nothing, so that nothing is made before something is found. What was found before grows in its place:
  // copied for each further field, an answer of half a megabyte would take a minute.
  #find(fields: object, listed: Listed, place: number | '', before: FoundOutput | null): FoundOutput | null {
    let found = before;
    for (const name in fields) {
      const isListed = listed.get(name);
      if (isListed === true) continue;
      const value = (fields as Record<string, unknown>)[name];
      if (isListed === false && typeof value !== 'object') continue;
      // Beside what is said, a number or a truth value is a mark.
      const bytes = measureOutput(value, listed !== saidFields);
      if (bytes === 0 || !this.#isNew(`${place}${listed === saidFields} ${name}`, value, bytes)) continue;
      found ??= { bytes: 0, parts: [] };
      found.bytes += bytes;
      found.parts.push([name, value]);
    }
    return found;
  }

  #isNew(place: string, value: unknown, bytes: number): boolean {
    if (bytes > bytesRememberedMax) return true;
    const json = JSON.stringify(value);
    this.#known ??= new Map();
    if (this.#known.get(place) === json) return false;
    if (this.#known.size < valuesRememberedMax || this.#known.has(place)) this.#known.set(place, json);
    return true;
  }
}
