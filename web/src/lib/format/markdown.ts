import { withoutEnd } from './without-end';

/** Words within a line. */
export interface Words {
  readonly kind: 'text' | 'code' | 'strong' | 'em';
  readonly text: string;
}

/** It leads to http or https, and nowhere else. */
export interface Link {
  readonly kind: 'link';
  readonly text: string;
  readonly href: string;
}

export type Inline = Words | Link;

export interface Lines {
  readonly kind: 'paragraph' | 'quote';
  readonly inlines: readonly Inline[];
}

export interface Heading {
  readonly kind: 'heading';
  readonly level: number;
  readonly inlines: readonly Inline[];
}

export interface List {
  readonly kind: 'list';
  readonly isOrdered: boolean;
  readonly start: number;
  readonly items: readonly (readonly Inline[])[];
}

export interface Code {
  readonly kind: 'code';
  readonly language: string;
  readonly code: string;
}

export type Block = Lines | Heading | List | Code | { readonly kind: 'rule' };

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
// Each takes one way through a line: behind what may be any number of blanks stands nothing that they could fail at.
const heading = /^ {0,3}(#{1,6})\s+(.*)$/s;
const item = /^ {0,6}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/s;
const quote = /^ {0,3}>\s?(.*)$/s;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;

/**
 * Reads the Markdown that models write: headings, lists, quotes, fenced code, emphasis, code and links. What it does not know stays
 * text, and HTML is text. Takes time in proportion to the length; an answer that is still arriving reads as far as it has come.
 */
export function parseMarkdown(text: string): readonly Block[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const read = readBlock(lines, at);
    if (read.block !== null) blocks.push(read.block);
    at = read.next;
  }
  return blocks;
}

interface ReadBlock {
  readonly block: Block | null;
  /** The line behind it. */
  readonly next: number;
}

function readBlock(lines: readonly string[], at: number): ReadBlock {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { block: null, next: at + 1 };
  const opened = fence.exec(line);
  if (opened) return readCode(lines, at, opened);
  const titled = heading.exec(line);
  if (titled) {
    const [, marks = '#', words = ''] = titled;
    return { block: { kind: 'heading', level: marks.length, inlines: parseInline(cutClosing(words)) }, next: at + 1 };
  }
  if (rule.test(line)) return { block: { kind: 'rule' }, next: at + 1 };
  if (item.test(line)) return readList(lines, at);
  const isQuote = quote.test(line);
  let next = at + 1;
  while (next < lines.length && continues(lines[next] ?? '', isQuote)) next += 1;
  const words = lines.slice(at, next).map((one) => (isQuote ? (quote.exec(one)?.[1] ?? '') : one.trimEnd()));
  return { block: { kind: isQuote ? 'quote' : 'paragraph', inlines: parseInline(words.join('\n')) }, next };
}

/** The words of a heading without the marks that may close it, which stand apart: `Tolls ##`, but `Why C#`. */
function cutClosing(words: string): string {
  const title = words.trimEnd();
  const open = withoutEnd(title, '#');
  return open === open.trimEnd() && open !== '' ? title : open.trimEnd();
}

function continues(line: string, isQuote: boolean): boolean {
  if (isQuote) return quote.test(line);
  return line.trim() !== '' && ![fence, heading, rule, item, quote].some((shape) => shape.test(line));
}

function readCode(lines: readonly string[], at: number, [, marks = '```', language = '']: RegExpExecArray): ReadBlock {
  let end = at + 1;
  while (end < lines.length && !isEndOf(lines[end] ?? '', marks)) end += 1;
  return { block: { kind: 'code', language, code: lines.slice(at + 1, end).join('\n') }, next: end + 1 };
}

function isEndOf(line: string, marks: string): boolean {
  const closing = line.trim();
  return closing.length >= marks.length && closing === (marks[0] ?? '`').repeat(closing.length);
}

function readList(lines: readonly string[], at: number): ReadBlock {
  const [, number] = item.exec(lines[at] ?? '') ?? [];
  const items: string[] = [];
  let next = at;
  while (next < lines.length) {
    const line = lines[next] ?? '';
    const [whole, , words = ''] = item.exec(line) ?? [];
    if (whole !== undefined) items.push(words);
    else if (/^\s{2,}\S/.test(line) && !fence.test(line)) items.push(`${items.pop() ?? ''}\n${line.trim()}`);
    else break;
    next += 1;
  }
  const start = number === undefined ? 1 : Number(number);
  return { block: { kind: 'list', isOrdered: number !== undefined, start, items: items.map(parseInline) }, next };
}

const inline =
  /(`{1,3})([^`]+?)\1(?!`)|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|\[([^\]\n]{1,500})\]\((https?:\/\/[^\s)]{1,2000})\)/g;

function parseInline(text: string): readonly Inline[] {
  const inlines: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(inline)) {
    if (match.index > at) inlines.push({ kind: 'text', text: text.slice(at, match.index) });
    inlines.push(toInline(match));
    at = match.index + match[0].length;
  }
  if (at < text.length) inlines.push({ kind: 'text', text: text.slice(at) });
  return inlines;
}

function toInline([whole, , code, strong, em, label, href]: RegExpMatchArray): Inline {
  if (code !== undefined) return { kind: 'code', text: code };
  if (strong !== undefined) return { kind: 'strong', text: strong };
  if (em !== undefined) return { kind: 'em', text: em };
  if (label !== undefined && href !== undefined) return { kind: 'link', text: label, href };
  return { kind: 'text', text: whole ?? '' };
}
