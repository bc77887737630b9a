/** Where a body is sent, and so which fields it has. */
export type BodyForm = 'chat' | 'responses' | 'graphql' | 'event';

/** One body of random structure. */
export interface StructureBody {
  readonly bytes: Buffer;
  /** What was made of it, in a few words: where, how many and of what. */
  readonly title: string;
}

/** As text; a field may stand deep inside. `@` is where the odd value goes. */
type Place = readonly [path: string, body: string];

const question = '{"role":"user","content":"Hello"}';
const call = '{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}';
const chat = (fields: string) => `{"model":"%model%","max_tokens":16,${fields}}`;
const asked = (field: string) => chat(`"messages":[${question}],${field}`);
const inMessage = (field: string) =>
  chat(`"messages":[${question},{"role":"assistant","content":"x",${field}},${question}]`);
const inTool = (field: string) => asked(`"tools":[{"type":"function","function":{"name":"f",${field}}}]`);
const answered = (text: string) => chat(`"messages":[${question},${text},${question}]`);

const topFields =
  'model messages stream stream_options max_tokens max_completion_tokens n temperature top_p frequency_penalty presence_penalty stop seed logprobs top_logprobs logit_bias tools tool_choice parallel_tool_calls response_format reasoning_effort verbosity safety_identifier user functions function_call modalities service_tier audio prediction metadata unknown'.split(
    ' ',
  );

const chatPlaces: readonly Place[] = [
  ['the body', '@'],
  ...topFields.map((field): Place => [field, asked(`"${field}":@`)]),
  ['content', chat('"messages":[{"role":"user","content":@}]')],
  ['content', chat('"messages":[{"role":"user","content":@}]')],
  ['messages with a question', chat('"messages":@')],
  ['a part', chat('"messages":[{"role":"user","content":[@]}]')],
  ['a text', chat('"messages":[{"role":"user","content":[{"type":"text","text":@}]}]')],
  ['an image', chat('"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":@}}]}]')],
  ['image_url', chat('"messages":[{"role":"user","content":[{"type":"image_url","image_url":@}]}]')],
  ['a message', chat('"messages":[@]')],
  ['role', chat('"messages":[{"role":@,"content":"x"}]')],
  ...'name refusal tool_calls tool_call_id reasoning_details function_call reasoning unknown'
    .split(' ')
    .map((field): Place => [`message.${field}`, inMessage(`"${field}":@`)]),
  [
    'extra_content',
    answered(
      `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":@}]},{"role":"tool","tool_call_id":"c","content":"x"}`,
    ),
  ],
  [
    'arguments',
    answered(
      `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":@text}}]},{"role":"tool","tool_call_id":"c","content":"x"}`,
    ),
  ],
  [
    'arguments',
    answered(
      `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":@}}]},{"role":"tool","tool_call_id":"c","content":"x"}`,
    ),
  ],
  [
    'a tool’s answer',
    answered(`{"role":"assistant","tool_calls":[${call}]},{"role":"tool","tool_call_id":"c","content":@text}`),
  ],
  ['a reasoning detail', inMessage('"reasoning_details":[@]')],
  ['a tool call', inMessage('"tool_calls":[@]')],
  ...'name description parameters strict unknown'
    .split(' ')
    .map((field): Place => [`tool.${field}`, inTool(`"${field}":@`)]),
  ...'properties required $defs anyOf allOf enum items const'
    .split(' ')
    .map((word): Place => [`schema.${word}`, inTool(`"parameters":{"type":"object","${word}":@}`)]),
  ['answer schema', asked('"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":@}}')],
  [
    'allowed tools',
    asked(
      '"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":@}}',
    ),
  ],
];

const responses = (field: string) => `{"model":"%model%","max_output_tokens":16,${field}}`;
const responsesPlaces: readonly Place[] = [
  ...'input instructions reasoning text max_output_tokens tools unknown'
    .split(' ')
    .map((field): Place => [field, responses(`${field === 'input' ? '' : '"input":"Hello",'}"${field}":@`)]),
  ['input', responses('"input":@')],
  ['an item', responses('"input":[@]')],
  ['content', responses('"input":[{"role":"user","content":@}]')],
  [
    'output',
    responses(
      `"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":@}]`,
    ),
  ],
  ['arguments', responses('"input":[{"type":"function_call","call_id":"c","name":"f","arguments":@}]')],
  ['custom input', responses('"input":[{"type":"custom_tool_call","call_id":"c","name":"f","input":@}]')],
  ['format', responses('"input":"Hello","text":{"format":@}')],
];

const graphql = (query: string, variables: string) => `{"query":${JSON.stringify(query)},"variables":${variables}}`;
const createKey = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
const graphqlPlaces: readonly Place[] = [
  ['the body', '@'],
  ['query', '{"query":@}'],
  ['query as text', '{"query":@text}'],
  ['variables', graphql('{ models { id } }', '@')],
  ['operationName', '{"query":"{ models { id } }","operationName":@}'],
  ['extensions', '{"query":"{ models { id } }","extensions":@}'],
  ['an id', graphql('query ($id: ID!) { call(id: $id) { id } }', '{"id":@}')],
  ['first', graphql('query ($n: Int) { calls(first: $n) { edges { cursor } } }', '{"n":@}')],
  ['filter', graphql('query ($f: CallFilterInput) { calls(filter: $f) { edges { cursor } } }', '{"f":@}')],
  ...'name scopes models providers addresses spendLimit expiresAt requestsPerMinute permissions'
    .split(' ')
    .map((field): Place => [`key.${field}`, graphql(createKey, `{"input":{"name":"n","${field}":@}}`)]),
  ...'email password name'
    .split(' ')
    .map(
      (field): Place => [
        `signIn.${field}`,
        graphql(
          'mutation ($i: SignInInput!) { signIn(input: $i) { sessionToken } }',
          `{"i":{"email":"a@b.c","password":"x","${field}":@}}`,
        ),
      ],
    ),
];

const eventPlaces: readonly Place[] = [
  ['the event', '@'],
  ...'id object type data livemode created metadata'
    .split(' ')
    .map((field): Place => [field, `{"id":"evt_1","object":"event","type":"checkout.session.completed","${field}":@}`]),
  ['data.object', '{"id":"evt_1","object":"event","type":"charge.refunded","data":{"object":@}}'],
];

const places: Readonly<Record<BodyForm, readonly Place[]>> = {
  chat: chatPlaces,
  responses: responsesPlaces,
  graphql: graphqlPlaces,
  event: eventPlaces,
};

const models = ['gpt-4o-mini', 'claude-haiku-4-5', 'gemini-2.5-flash', 'gemini-2.0-flash', 'demo-small'];

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
  #state = 0;

  constructor(
    private readonly form: BodyForm,
    private readonly seed: number,
    /** Of one list or map; texts may have twenty times as many characters. */
    private readonly itemsMax = 1_000_000,
  ) {}

  /** The body of this number: always the same for one seed. */
  make(number: number): StructureBody {
    this.#state = (Math.imul(this.seed, 0x9e3779b1) + Math.imul(number + 1, 0x85ebca6b)) >>> 0;
    const [path, body] = this.#oneOf(places[this.form]);
    const [title, value] = this.#value();
    const model = this.#oneOf(models);
    // By a function: what is put in may hold a dollar sign, which means something in a replacement.
    const text = body
      .replace('%model%', model)
      .replace('@text', () => JSON.stringify(value))
      .replace('@', () => value);
    return { bytes: Buffer.from(text), title: `${path} of ${model}: ${title}` };
  }

  #value(): readonly [title: string, json: string] {
    switch (this.#below(8)) {
      case 0:
      case 1: {
        const count = this.#count(this.itemsMax);
        const item = this.#oneOf(items);
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
        const levels = 1 + this.#below(80);
        const width = 1 + this.#below(3);
        return [`${levels} levels of ${width}`, this.#nest(levels, width)];
      }
      case 5: {
        const levels = this.#count(this.itemsMax);
        return [`${levels} levels`, `${'['.repeat(levels)}${']'.repeat(levels)}`];
      }
      case 6: {
        const unit = this.#oneOf(textUnits);
        const count = this.#count((20 * this.itemsMax) / unit.length);
        const prefix = this.#oneOf(['', '', 'data:image/png;base64,', 'https://x.test/']);
        return [`a text of ${count} times ${unit}`, `"${prefix}${unit.repeat(count)}"`];
      }
      default: {
        const count = this.#count(this.itemsMax / 20);
        const inner = list(1 + this.#below(20), this.#oneOf(items));
        return [
          `${count} lists of ${inner.slice(0, 40)}`,
          list(count, this.#oneOf([inner, `{"content":${inner},"role":"user"}`])),
        ];
      }
    }
  }

  #nest(levels: number, width: number): string {
    if (levels === 0) return '1';
    const inner = this.#nest(levels - 1, width);
    const spread = this.#chance(20) ? width : 1;
    // A body beyond any limit of size says nothing about structure.
    if (inner.length * spread > 2_000_000) return inner;
    if (this.#chance(50)) return list(spread, inner);
    const name = this.#oneOf(['a', 'properties', 'items', 'anyOf', 'function', 'content', 'text']);
    return `{${Array.from({ length: spread }, (_, n) => `"${name}${n || ''}":${inner}`).join(',')}}`;
  }

  // As many small ones as large ones.
  #count(max: number): number {
    return Math.floor(max ** (this.#below(1_000_001) / 1_000_000));
  }

  #oneOf<Item>(list: readonly Item[]): Item {
    return list[this.#below(list.length)] as Item;
  }

  #chance(percent: number): boolean {
    return this.#below(100) < percent;
  }

  // mulberry32
  #below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
}

function list(count: number, item: string): string {
  return count === 0 ? '[]' : `[${`${item},`.repeat(count - 1)}${item}]`;
}
