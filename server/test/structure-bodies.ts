import { SeededChoices } from './seeded-choices.js';
import { type BodyForm, call, places, question } from './structure-places.js';

/** One body of random structure. */
export interface StructureBody {
  readonly bytes: Buffer;
  /** What was made of it, in a few words: where, how many and of what. */
  readonly title: string;
}

const models = ['gpt-4o-mini', 'claude-haiku-4-5', 'gemini-2.5-flash', 'demo-small'];

const items = [
  '1',
  '{}',
  '[]',
  '""',
  'null',
  'true',
  '1e400',
  '"x"',
  '{"type":"text","text":"x"}',
  '{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}',
  '{"type":"input_text","text":"x"}',
  '{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}',
  '{"role":"assistant","content":"x"}',
  '{"role":"function","content":"x"}',
  '{"type":"function"}',
  '{"type":"custom","name":"f"}',
  '{"$ref":"#/properties"}',
  '{"type":"object","properties":{"a":{"type":"string"}}}',
  '[[[[[]]]]]',
  '{"a":{"a":{"a":{}}}}',
  question,
  call,
];

const textUnits = [
  'x',
  ' ',
  '\\n',
  '\\u0000',
  '\\ud800',
  'é',
  '日',
  '😀',
  '\\"',
  '\\\\',
  '{\\"a\\":',
  '[',
  '1,',
  ';a',
  'data:image/png;',
  ',',
];

/** Makes bodies of every structure: long lists, wide maps, deep nests and long texts, each in any field. */
export class StructureBodies {
  #choices = new SeededChoices(0);

  constructor(
    private readonly form: BodyForm,
    private readonly seed: number,
    /** Of one list or map; texts may have twenty times as many characters. */
    private readonly itemsMax = 1_000_000,
  ) {}

  /** The body of this number: always the same for one seed. */
  make(number: number): StructureBody {
    this.#choices = new SeededChoices(Math.imul(this.seed, 0x9e3779b1) + Math.imul(number + 1, 0x85ebca6b));
    const [path, body] = this.#choices.oneOf(places[this.form]);
    const [title, value] = this.#value();
    const model = this.#choices.oneOf(models);
    // By a function: what is put in may hold a dollar sign, which means something in a replacement.
    const text = body
      .replace('%model%', model)
      .replace('@text', () => JSON.stringify(value))
      .replace('@', () => value);
    return { bytes: Buffer.from(text), title: `${path} of ${model}: ${title}` };
  }

  #value(): readonly [title: string, json: string] {
    switch (this.#choices.below(8)) {
      case 0:
      case 1: {
        const count = this.#count(this.itemsMax);
        const item = this.#choices.oneOf(items);
        return [`${count} times ${item}`, list(count, item)];
      }
      case 2: {
        const count = this.#count(this.itemsMax / 4);
        return [`a map of ${count}`, `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`];
      }
      case 3: {
        const count = this.#count(this.itemsMax / 4);
        return [`${count} shapes`, `[${Array.from({ length: count }, (_, n) => `{"k${n}":{}}`).join(',')}]`];
      }
      case 4: {
        const levels = 1 + this.#choices.below(80);
        const width = 1 + this.#choices.below(3);
        return [`${levels} levels of ${width}`, this.#nest(levels, width)];
      }
      case 5: {
        const levels = this.#count(this.itemsMax);
        return [`${levels} levels`, `${'['.repeat(levels)}${']'.repeat(levels)}`];
      }
      case 6: {
        const unit = this.#choices.oneOf(textUnits);
        const count = this.#count((20 * this.itemsMax) / unit.length);
        const prefix = this.#choices.oneOf(['', '', 'data:image/png;base64,', 'https://x.test/']);
        return [`a text of ${count} times ${unit}`, `"${prefix}${unit.repeat(count)}"`];
      }
      default: {
        const count = this.#count(this.itemsMax / 20);
        const inner = list(1 + this.#choices.below(20), this.#choices.oneOf(items));
        return [
          `${count} lists of ${inner.slice(0, 40)}`,
          list(count, this.#choices.oneOf([inner, `{"content":${inner},"role":"user"}`])),
        ];
      }
    }
  }

  #nest(levels: number, width: number): string {
    if (levels === 0) return '1';
    const inner = this.#nest(levels - 1, width);
    const spread = this.#choices.chance(20) ? width : 1;
    // A body beyond any limit of size says nothing about structure.
    if (inner.length * spread > 2_000_000) return inner;
    if (this.#choices.chance(50)) return list(spread, inner);
    const name = this.#choices.oneOf(['a', 'properties', 'items', 'anyOf', 'function', 'content', 'text']);
    return `{${Array.from({ length: spread }, (_, n) => `"${name}${n || ''}":${inner}`).join(',')}}`;
  }

  // Half of them short, one in ten of more than a hundred thousand.
  #count(max: number): number {
    return Math.floor(max ** ((this.#choices.below(1_000_001) / 1_000_000) ** 2));
  }
}

function list(count: number, item: string): string {
  return count === 0 ? '[]' : `[${`${item},`.repeat(count - 1)}${item}]`;
}
