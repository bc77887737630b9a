import { isJsonObject } from '../../kernel/json-body.js';
import { measureOutput } from '../answers/other-output.js';
import { createUnreadableError } from '../upstream-error.js';
import { AnswerParts } from './answer-parts.js';

const fieldsOfChoices = ['index', 'message', 'delta', 'text', 'finish_reason'] as const;

/** The choices of an answer, or of a piece of one, in whatever form they come: a list, a single one without a list, or under their numbers. */
export function listChoices(raw: unknown): readonly unknown[] {
  if (Array.isArray(raw)) return raw;
  if (!isJsonObject(raw)) return [];
  return fieldsOfChoices.some((field) => raw[field] !== undefined) ? [raw] : Object.values(raw);
}

/**
 * Which choices of one answer were asked for, and their numbers from 0. A number of the provider's that fits is kept; another one, as
 * of a provider that counts from 1, becomes the lowest that is free. What comes once all have been given away was never asked
 * for: no output cap holds it, most wires have no place for it, and nobody pays for it, so it is left out.
 *
 * Where one was asked for, it may come as several with a part of it each: see `AnswerParts`. Each part then has the number 0.
 */
export class AskedChoices {
  /** The provider's number -> ours. Never more than were asked for. */
  readonly #numbers = new Map<unknown, number>();
  /** null: several were asked for. */
  readonly #parts: AnswerParts | null;
  #hasLeftOut = false;

  /** @param count How many were asked for. */
  constructor(
    private readonly count: number,
    private readonly providerId: string,
  ) {
    this.#parts = count > 1 ? null : new AnswerParts();
  }

  /** Whether something that was made has been left out, which its provider may have counted. */
  get hasLeftOut(): boolean {
    return this.#hasLeftOut;
  }

  /**
   * The choices that were asked for, each with its number.
   * @param choices All of a plain answer, where a number that comes again is another choice; or of a piece, where it is more of the same.
   * @throws AppError for one that is no object.
   */
  take(choices: readonly unknown[], isWhole = false): Record<string, unknown>[] {
    const taken: Record<string, unknown>[] = [];
    const seen = isWhole ? new Set<unknown>() : null;
    choices.forEach((choice, position) => {
      if (!isJsonObject(choice)) throw createUnreadableError(this.providerId, 'a choice that is no object');
      const number = typeof choice.index === 'number' ? choice.index : position;
      const theirs = seen?.has(number) ? `at ${position}` : number;
      seen?.add(number);
      const index = this.#parts === null ? this.#find(theirs) : this.#takePart(this.#parts, theirs, choice);
      if (index === null) this.#hasLeftOut ||= measureOutput([choice.message, choice.delta, choice.text]) > 0;
      // Written only where it is another, as it rarely is.
      else taken.push(choice.index === index ? choice : Object.assign(choice, { index }));
    });
    return taken;
  }

  #takePart(parts: AnswerParts, theirs: unknown, choice: Record<string, unknown>): 0 | null {
    const part = parts.take(theirs, choice);
    if (part === 'cut') this.#hasLeftOut = true;
    return part === 'none' ? null : 0;
  }

  /** @returns the number of the choice from 0; null for one too many. */
  #find(theirs: unknown): number | null {
    const known = this.#numbers.get(theirs);
    if (known !== undefined) return known;
    const taken = new Set(this.#numbers.values());
    if (taken.size >= this.count) return null;
    const free = Array.from({ length: this.count }, (_, index) => index).filter((index) => !taken.has(index));
    const number = free.find((index) => index === theirs) ?? free[0];
    if (number === undefined) return null;
    this.#numbers.set(theirs, number);
    return number;
  }
}
