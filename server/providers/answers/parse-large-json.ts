import { setImmediate as nextTurn } from 'node:timers/promises';
import { findTextEnd } from '../../kernel/texts/json-text-end.js';
import { ParsedJson } from '../json-object.js';

/** So much text is parsed at one stretch, in a millisecond or two, whatever is in it. */
const charactersPerGroup = 64 * 1024;
/** So long others wait for their turn. */
const stepMs = 4;

/**
 * Parses the JSON of a long list or object as `JSON.parse` does, but in steps of a few milliseconds, between which the event loop goes on.
 * Only a single text inside of it is taken at once, however long.
 * @returns the text itself where it is so short that it can be parsed at once.
 */
export function parseLargeJson(text: string, groupCharacters = charactersPerGroup): string | Promise<ParsedJson> {
  return text.length <= 2 * groupCharacters ? text : parseInSteps(text, groupCharacters);
}

async function parseInSteps(text: string, groupCharacters: number): Promise<ParsedJson> {
  const building = new JsonBuilding(text, groupCharacters);
  let stepEndsMs = performance.now() + stepMs;
  while (building.goOn()) {
    if (performance.now() < stepEndsMs) continue;
    await nextTurn();
    stepEndsMs = performance.now() + stepMs;
  }
  return new ParsedJson(building.value);
}

const quote = 0x22;
const comma = 0x2c;
const [listBegin, listEnd] = [0x5b, 0x5d];
const [objectBegin, objectEnd] = [0x7b, 0x7d];

/** A list or an object whose end has not come yet. */
interface Container {
  readonly isList: boolean;
  readonly startsAt: number;
  /** Where what of it was not built begins. */
  from: number;
  /** The last comma between two of its members since then; -1: there was none. */
  commaAt: number;
  /** What was built of it; null: nothing, and it may stay a part of the text of the one around it. */
  built: unknown[] | Record<string, unknown> | null;
  /** The name of the member that is being built by itself. */
  name: string;
  /** Whether the member before `from` was built by itself, so that a comma or the end has to follow. */
  isBehindMember: boolean;
}

/**
 * Goes over a text once, and has the parser take the members of its lists and objects in groups of about as many characters. The parser
 * says what is JSON inside of a group; here it is seen that groups, commas and brackets stand as they must.
 */
class JsonBuilding {
  value: unknown;
  readonly #open: Container[] = [];
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly groupCharacters: number,
  ) {}

  /** Takes one more step. @returns false: it is over, and `value` is what the text says. */
  goOn(): boolean {
    try {
      return this.#takeStep();
    } catch {
      // The parser's own message quotes the text.
      this.value = undefined;
      return false;
    }
  }

  #takeStep(): boolean {
    const { text } = this;
    const stopAt = this.#at + this.groupCharacters;
    while (this.#at < stopAt) {
      if (this.#at >= text.length) throw new Error('It has no end.');
      const at = this.#at;
      const code = text.charCodeAt(at);
      this.#at += 1;
      if (code === quote) this.#passText(at);
      else if (code === comma) this.#noteComma(at);
      else if (code === listBegin || code === objectBegin) this.#begin(at, code === listBegin);
      else if ((code === listEnd || code === objectEnd) && this.#end(at, code === listEnd)) return false;
    }
    return true;
  }

  #passText(startsAt: number): void {
    const end = findTextEnd(this.text, startsAt);
    if (end < 0) throw new Error('A text has no end.');
    this.#at = end + 1;
  }

  #begin(startsAt: number, isList: boolean): void {
    if (this.#open.length === 0 && !isBlank(this.text.slice(0, startsAt))) throw new Error('Something is before it.');
    const [from, commaAt] = [startsAt + 1, -1];
    this.#open.push({ isList, startsAt, from, commaAt, built: null, name: '', isBehindMember: false });
  }

  #noteComma(at: number): void {
    const container = this.#open.at(-1);
    if (container === undefined) throw new Error('It is no list or object.');
    if (container.isBehindMember) {
      if (!isBlank(this.text.slice(container.from, at))) throw new Error('No comma is behind a member.');
      container.isBehindMember = false;
      container.from = at + 1;
      return;
    }
    container.commaAt = at;
    if (at - container.from < this.groupCharacters) return;
    this.#buildAround();
    this.#build(container, at);
  }

  /** @returns whether the whole has ended. */
  #end(at: number, isList: boolean): boolean {
    const container = this.#open.at(-1);
    if (container?.isList !== isList) throw new Error('Another bracket is missing.');
    // What is short stays text, for the one around it.
    const isText = container.built === null && at - container.startsAt < this.groupCharacters && this.#open.length > 1;
    if (!isText) {
      this.#buildAround();
      if (!container.isBehindMember) this.#build(container, at);
      else if (!isBlank(this.text.slice(container.from, at))) throw new Error('No comma is behind a member.');
    }
    this.#open.pop();
    const around = this.#open.at(-1);
    if (around === undefined) {
      if (!isBlank(this.text.slice(at + 1))) throw new Error('Something is behind it.');
      this.value = container.built;
      return true;
    }
    if (isText) return false;
    add(around, around.name, container.built);
    Object.assign(around, { from: at + 1, commaAt: -1, isBehindMember: true });
    return false;
  }

  /** Builds what stands before the innermost container in those around it, of which it is then a member that is built by itself. */
  #buildAround(): void {
    for (const [index, container] of this.#open.slice(0, -1).entries()) {
      const inner = this.#open[index + 1];
      if (inner === undefined || inner.built !== null) continue;
      if (container.isBehindMember) throw new Error('No comma is behind a member.');
      if (container.commaAt >= container.from) this.#build(container, container.commaAt);
      container.built ??= container.isList ? [] : {};
      const head = this.text.slice(container.from, inner.startsAt);
      if (!container.isList) container.name = readName(head);
      else if (!isBlank(head)) throw new Error('Something is before a member.');
    }
  }

  /** Builds the members up to a comma or the end. */
  #build(container: Container, end: number): void {
    const group = this.text.slice(container.from, end);
    const isFirst = container.built === null;
    container.built ??= container.isList ? [] : {};
    container.from = end + 1;
    container.commaAt = -1;
    // Only what is empty has nothing in it, and no comma before its end.
    if (isBlank(group)) {
      if (isFirst && end === this.#at - 1 && this.text.charCodeAt(end) !== comma) return;
      throw new Error('A member is missing.');
    }
    const members: unknown = JSON.parse(container.isList ? `[${group}]` : `{${group}}`);
    if (Array.isArray(members)) for (const member of members) add(container, '', member);
    else for (const [name, member] of Object.entries(members as object)) add(container, name, member);
  }
}

function add({ built }: Container, name: string, member: unknown): void {
  if (Array.isArray(built)) built.push(member);
  // As the parser does it; by an assignment it would be the prototype.
  else if (name === '__proto__')
    Object.defineProperty(built, name, { value: member, configurable: true, enumerable: true, writable: true });
  else if (built !== null) built[name] = member;
}

/** The name before a member, with its colon. */
function readName(head: string): string {
  const [name] = Object.keys(JSON.parse(`{${head}null}`) as object);
  if (name === undefined) throw new Error('A member has no name.');
  return name;
}

function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}
