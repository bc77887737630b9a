import { isJsonObject } from '../../kernel/json-body.js';
import { measureOutput } from '../answers/other-output.js';

/** The fields of what a choice says, by what they are to whoever reads it. */
const kinds = [
  ['content', 'refusal', 'images'],
  ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking', 'reasoning_details'],
  ['tool_calls', 'function_call'],
] as const;
type Kind = (typeof kinds)[number];
const [words] = kinds;

/** Far more than any gateway makes; a provider that goes on would fill our memory. */
const secondAnswersMax = 64;

/**
 * What of the choices of an answer belongs to the one that was asked for. Some gateways, such as Copilot's, write one answer as several
 * choices: its words in the first, its calls of tools in the next. Each of these kinds, words, thoughts and calls, is taken from
 * the choice that brings it first. A choice that begins with a kind which another has brought is a second answer, and nothing of it is taken.
 */
export class AnswerParts {
  /** The provider's number of the choice that came first; it may bring what is of no kind. */
  #first: unknown;
  /** Each kind that has come, and the number of its choice. */
  readonly #owners = new Map<Kind, unknown>();
  readonly #secondAnswers = new Set<unknown>();

  /**
   * Takes a choice, or the next piece of one. A kind that another choice has brought is taken out of it.
   * @returns `none`: it is no part of the answer; `cut`: it is, but for what was taken out.
   */
  take(theirs: unknown, choice: Record<string, unknown>): 'all' | 'cut' | 'none' {
    this.#first ??= theirs;
    const brought = kinds.filter((kind) => brings(choice, kind));
    const isPart = [...this.#owners.values()].includes(theirs);
    const foreign = brought.filter((kind) => this.#owners.has(kind) && this.#owners.get(kind) !== theirs);
    if (!isPart) {
      if (this.#secondAnswers.has(theirs) || this.#secondAnswers.size >= secondAnswersMax) return 'none';
      if (foreign.length > 0) this.#secondAnswers.add(theirs);
      if (foreign.length > 0 || (brought.length === 0 && theirs !== this.#first)) return 'none';
    }
    for (const kind of brought) if (!foreign.includes(kind)) this.#owners.set(kind, theirs);
    for (const kind of foreign) takeOut(choice, kind);
    return foreign.length > 0 ? 'cut' : 'all';
  }
}

function brings({ message, delta, text }: Record<string, unknown>, kind: Kind): boolean {
  if (kind === words && isSaid(text)) return true;
  return [message, delta].some((said) =>
    isJsonObject(said) ? kind.some((field) => isSaid(said[field])) : kind === words && isSaid(said),
  );
}

/** Whether a field of a message has anything in it that can have been generated. */
export function isSaid(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' : measureOutput(value) > 0;
}

function takeOut(choice: Record<string, unknown>, kind: Kind): void {
  const fields: readonly string[] = kind;
  for (const name of ['message', 'delta'] as const) {
    const said = choice[name];
    if (isJsonObject(said))
      choice[name] = Object.fromEntries(Object.entries(said).filter(([field]) => !fields.includes(field)));
    else if (kind === words && said !== undefined) choice[name] = {};
  }
  if (kind === words) choice.text = undefined;
}
