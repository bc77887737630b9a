/** Makes bodies of chat requests as text: some right, most wrong in one place or two. The same seed gives the same ones. */
export class HostileBodies {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** One body, which may not even be JSON. */
  next(): string {
    const fields = [this.#oneOf(models), `"messages":[${this.#list(() => this.#message(), 3)}]`];
    const count = this.#below(5);
    for (let index = 0; index < count; index += 1) fields.push(this.#field());
    // A second field of the same name: the last one counts, wherever it stands.
    if (this.#chance(15)) fields.push(this.#oneOf([...models, '"max_tokens":5', '"stream":false', '"n":2']));
    if (this.#chance(10)) fields.splice(this.#below(2), 1);
    const body = `{${this.#shuffled(fields).join(',')}}`;
    return this.#chance(8) ? this.#break(body) : body;
  }

  #field(): string {
    const [name, values] = this.#oneOf(optionalFields);
    return `${JSON.stringify(name)}:${this.#chance(30) ? this.#hostile() : this.#oneOf(values)}`;
  }

  #message(): string {
    if (this.#chance(8)) return this.#hostile();
    const role = this.#oneOf(['user', 'user', 'system', 'developer', 'assistant', 'tool', 'function', 'robot']);
    const content = this.#chance(20) ? this.#hostile() : this.#oneOf(contents);
    const more = this.#chance(20) ? `,${this.#oneOf(messageFields)}` : '';
    return `{"role":"${role}","content":${content}${more}}`;
  }

  #hostile(): string {
    if (this.#chance(2)) return `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    if (this.#chance(5)) return `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`;
    return this.#oneOf(hostileValues);
  }

  #break(body: string): string {
    const at = this.#below(body.length);
    return this.#oneOf([
      body.slice(0, at),
      `${body.slice(0, at)}${body.slice(at + 1)}`,
      `${body.slice(0, at)}\u0000${body.slice(at)}`,
      `\uFEFF${body}`,
      `${body.slice(0, -1)},}`,
      `[${body}]`,
      `${body}${body}`,
    ]);
  }

  #list(make: () => string, max: number): string {
    return Array.from({ length: this.#below(max) + 1 }, make).join(',');
  }

  #shuffled(items: readonly string[]): string[] {
    return items
      .map((item) => [this.#below(1_000_000), item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item);
  }

  #oneOf<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
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

const optionalFields: readonly (readonly [string, readonly string[]])[] = [
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

const hostileValues = [
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
