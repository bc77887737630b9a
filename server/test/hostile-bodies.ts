import { SeededChoices } from './seeded-choices.js';

/** What the bodies of one wire are made of. Everything is JSON as text. */
export interface BodyParts {
  /** `"model":"…"` */
  readonly models: readonly string[];
  /** The field that is asked, as `"messages":[…]`; `hostile` makes a value that is rarely right. */
  readonly ask: (choices: SeededChoices, hostile: () => string) => string;
  /** Names of other fields, each with values of which some are right. */
  readonly fields: readonly (readonly [name: string, values: readonly string[]])[];
}

/** Makes bodies of requests as text: some right, most wrong in one place or two. The same seed gives the same ones. */
export class HostileBodies {
  readonly #choices: SeededChoices;

  constructor(
    seed: number,
    private readonly parts: BodyParts = chatParts,
  ) {
    this.#choices = new SeededChoices(seed);
  }

  /** One body, which may not even be JSON. */
  next(): string {
    const { models, ask } = this.parts;
    const fields = [this.#choices.oneOf(models), ask(this.#choices, () => this.#hostile())];
    const count = this.#choices.below(5);
    for (let index = 0; index < count; index += 1) fields.push(this.#field());
    // A second field of the same name: the last one counts, wherever it stands.
    if (this.#choices.chance(15))
      fields.push(this.#choices.oneOf([...models, '"max_tokens":5', '"stream":false', '"n":2']));
    if (this.#choices.chance(10)) fields.splice(this.#choices.below(2), 1);
    const body = `{${this.#shuffled(fields).join(',')}}`;
    if (this.#choices.chance(8)) return this.#break(body);
    return this.#choices.chance(25) ? this.#disguise(body) : body;
  }

  #field(): string {
    const [name, values] = this.#choices.oneOf(this.parts.fields);
    return `${JSON.stringify(name)}:${this.#choices.chance(30) ? this.#hostile() : this.#choices.oneOf(values)}`;
  }

  #hostile(): string {
    if (this.#choices.chance(2)) return `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    if (this.#choices.chance(5)) return `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`;
    return this.#choices.oneOf(hostileValues);
  }

  #break(body: string): string {
    const at = this.#choices.below(body.length);
    return this.#choices.oneOf([
      body.slice(0, at),
      `${body.slice(0, at)}${body.slice(at + 1)}`,
      `${body.slice(0, at)}\u0000${body.slice(at)}`,
      `\uFEFF${body}`,
      `${body.slice(0, -1)},}`,
      `[${body}]`,
      `${body}${body}`,
    ]);
  }

  /** In the place of some text, wherever it stands, an object that is no text and brings what JavaScript would ask it for. */
  #disguise(body: string): string {
    const values = findValues(body);
    if (values.length === 0) return body;
    const { from, to } = this.#choices.oneOf(values);
    return body.slice(0, from) + this.#choices.oneOf(disguisedValues) + body.slice(to);
  }

  #shuffled(items: readonly string[]): string[] {
    return items
      .map((item) => [this.#choices.below(1_000_000), item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item);
  }
}

/** A list of one to `max` of what `make` makes. */
export function listOfSome(choices: SeededChoices, max: number, make: () => string): string {
  return `[${Array.from({ length: choices.below(max) + 1 }, make).join(',')}]`;
}

const models = ['"model":"gpt-4o-mini"', '"model":"gpt-4o"', '"model":"gpt-4o-mini"', '"model":"gpt-99"'];

const contents = [
  '"Hello"',
  '"Grüße 🎉"',
  '"\\ud800 alone"',
  '"a\\u0000b"',
  '[{"type":"text","text":"Hi"}]',
  '[{"type":"image_url","image_url":{"url":"https://x.test/a.png","detail":"low"}}]',
  '[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"text","text":"What?"}]',
  '[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]',
  '[{"type":"input_audio","input_audio":{"data":"","format":"wav"}}]',
  `"${'long '.repeat(2_000)}"`,
  '[]',
  '""',
  'null',
];

const toolCalls = '"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]';
const messageFields = [
  toolCalls,
  '"tool_call_id":"c1"',
  '"name":"someone"',
  '"function_call":{"name":"f","arguments":"{}"}',
  '"refusal":"no"',
  '"__proto__":{"content":"x"}',
  '"tool_calls":[]',
  '"tool_calls":[{"id":"c1","type":"custom","custom":{"name":"f","input":"x"}}]',
];

const tool = '{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}';

const chatFields: BodyParts['fields'] = [
  ['max_tokens', ['1', '10', '5000', '-1', '0', '1e9', '1.5', '-0', '9007199254740993']],
  ['max_completion_tokens', ['1', '10', 'null', '1e400', '2e1']],
  ['max_output_tokens', ['7', 'null']],
  ['n', ['1', '2', '8', '9', '0', '18446744073709551616']],
  ['stream', ['true', 'false', 'null', '"yes"']],
  ['stream_options', ['{"include_usage":true}', '{}', 'null']],
  ['temperature', ['0', '1', '2', '2.1', '-0', '-1e-7']],
  ['stop', ['"x"', '["x","y"]', '[]', '["1","2","3","4","5"]']],
  [
    'tools',
    [`[${tool}]`, '[]', '[{"type":"function","name":"f"}]', '[{"type":"custom","name":"f"}]', '[{"type":"x"}]'],
  ],
  ['tool_choice', ['"auto"', '"none"', '"required"', '{"type":"function","function":{"name":"f"}}']],
  ['functions', ['[{"name":"f"}]', '[]']],
  ['function_call', ['"auto"', '{"name":"f"}']],
  ['response_format', ['{"type":"json_object"}', '{"type":"json_schema","json_schema":{"name":"n","schema":{}}}']],
  ['logit_bias', ['{"50256":-100}', '{"__proto__":1}', '{"constructor":1}']],
  ['seed', ['1', '-1', '1e308', '9007199254740993']],
  ['service_tier', ['"auto"', '"priority"']],
  ['input', ['"Hello"', '[{"role":"user","content":[{"type":"input_text","text":"x"}]}]', '[{"type":"x"}]']],
  ['instructions', ['"Be brief"']],
  ['reasoning', ['{"effort":"low"}', '{"effort":"absurd"}']],
  ['reasoning_effort', ['"low"', '"absurd"']],
  ['text', ['{"format":{"type":"json_schema","name":"n","schema":{}}}', '{"verbosity":"low"}']],
  ['audio', ['{"voice":"x"}', 'null']],
  ['user', ['"jane"']],
  ['metadata', ['{"a":"b"}']],
  ['api_base', ['"http://169.254.169.254"']],
  ['__proto__', ['{"n":8,"max_tokens":100000}']],
  ['constructor', ['{"prototype":{"n":8}}']],
];

const chatParts: BodyParts = {
  models,
  ask: (choices, hostile) => `"messages":${listOfSome(choices, 3, () => makeMessage(choices, hostile))}`,
  fields: chatFields,
};

function makeMessage(choices: SeededChoices, hostile: () => string): string {
  if (choices.chance(8)) return hostile();
  const role = choices.oneOf(['user', 'user', 'system', 'developer', 'assistant', 'tool', 'function', 'robot']);
  const content = choices.chance(20) ? hostile() : choices.oneOf(contents);
  const more = choices.chance(20) ? `,${choices.oneOf(messageFields)}` : '';
  return `{"role":"${role}","content":${content}${more}}`;
}

/** Where the texts and numbers of a JSON text stand, but for the names of fields. */
export function findValues(json: string): { readonly from: number; readonly to: number }[] {
  const found = [...json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/g)];
  return found
    .filter(([, colon]) => colon === undefined)
    .map(({ 0: text, index }) => ({ from: index, to: index + text.length }));
}

/** JSON that breaks who takes it for a text, a list or a promise. */
export const disguisedValues = [
  '{"toString":1}',
  '{"toString":1,"valueOf":1}',
  '{"toJSON":1}',
  '{"then":1}',
  '{"length":-1}',
  '{"length":{"toString":1}}',
  '{"length":[{"valueOf":1,"toString":1}]}',
  '{"constructor":null}',
  '{"hasOwnProperty":1}',
  '[{"toString":1}]',
];

const hostileValues = [
  ...disguisedValues,
  'null',
  'true',
  '-0',
  '1e400',
  '-1e400',
  '1e-400',
  '1.5',
  '-1',
  '18446744073709551616',
  '"5"',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"__proto__":{"length":5}}',
  '{"constructor":{"prototype":{}}}',
  '{"toJSON":"x"}',
  '{"length":1000000000}',
  '{"then":"x"}',
  `"${'x'.repeat(20_000)}"`,
];
