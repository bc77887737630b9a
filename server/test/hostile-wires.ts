import { type BodyParts, listOfSome } from './hostile-bodies.js';
import type { SeededChoices } from './seeded-choices.js';

/** The wires beside chat. */
export type OtherWire = 'responses' | 'messages' | 'embeddings' | 'completions';

const chatModels = ['"model":"gpt-4o-mini"', '"model":"gpt-4o"', '"model":"gpt-4o-mini"', '"model":"gpt-99"'];
const longText = `"${'long '.repeat(2_000)}"`;
const texts = ['"Hello"', '"Grüße 🎉"', '"\\ud800 alone"', '"a\\u0000b"', '"{\\"a\\":1}"', longText];
const numbers = ['1', '10', '5000', '-1', '0', '1e9', '1.5', '9007199254740993', 'null'];
const streams = ['true', 'false', 'null', '"yes"'];
const schema = '{"type":"object","properties":{"city":{"type":"string","description":"é"}},"required":["city"]}';
const odd: BodyParts['fields'] = [
  ['api_base', ['"http://169.254.169.254"']],
  ['__proto__', ['{"max_tokens":100000}']],
  ['constructor', ['{"prototype":{"n":8}}']],
  ['metadata', ['{"a":"b"}', '{"user_id":"jane"}', 'null']],
  ['user', ['"jane"']],
];

const oneOrHostile = (choices: SeededChoices, values: readonly string[], hostile: () => string) =>
  choices.chance(6) ? hostile() : choices.oneOf(values);
const some = (choices: SeededChoices, values: readonly string[], hostile: () => string) =>
  listOfSome(choices, 4, () => oneOrHostile(choices, values, hostile));

const inputImage = '{"type":"input_image","image_url":"https://x.test/a.png","detail":"low"}';
const items = [
  ...texts.map((text) => `{"role":"user","content":${text}}`),
  '{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}',
  `{"role":"user","content":[${inputImage},{"type":"input_text","text":"What?"}]}`,
  '{"role":"developer","content":"Be brief"}',
  '{"type":"message","role":"assistant","id":"msg_1","content":[{"type":"output_text","text":"Aha","annotations":[]}]}',
  '{"type":"function_call","call_id":"c1","name":"f","arguments":"{\\"a\\":\\"é\\"}"}',
  '{"type":"function_call_output","call_id":"c1","output":"sunny"}',
  `{"type":"function_call_output","call_id":"c1","output":[${inputImage},{"type":"input_text","text":"seen"}]}`,
  '{"type":"custom_tool_call","call_id":"c2","name":"g","input":"patch"}',
  '{"type":"custom_tool_call_output","call_id":"c2","output":"done"}',
  '{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"not ours"}',
  '{"type":"item_reference","id":"msg_404"}',
  '{"type":"web_search_call","id":"ws_1"}',
];

const responsesParts: BodyParts = {
  models: chatModels,
  ask: (choices, hostile) =>
    `"input":${choices.chance(30) ? oneOrHostile(choices, texts, hostile) : some(choices, items, hostile)}`,
  fields: [
    ['max_output_tokens', numbers],
    ['instructions', texts],
    ['stream', streams],
    [
      'tools',
      [
        `[{"type":"function","name":"f","description":"Grüße","parameters":${schema},"strict":true}]`,
        '[{"type":"custom","name":"g","description":"patches"}]',
        '[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f","parameters":{}}]}]',
        '[{"type":"web_search"}]',
        '[]',
      ],
    ],
    ['tool_choice', ['"auto"', '"required"', '{"type":"function","name":"f"}', '{"type":"mcp"}']],
    ['text', [`{"format":{"type":"json_schema","name":"n","schema":${schema}}}`, '{"verbosity":"low"}']],
    ['reasoning', ['{"effort":"low","summary":"auto"}', '{"effort":"absurd"}', 'null']],
    ['store', ['true', 'false', 'null']],
    ['include', ['["reasoning.encrypted_content"]', '["message.output_text.logprobs"]', '[]']],
    ['previous_response_id', ['"resp_1"', 'null']],
    ['background', ['true', 'false']],
    ['parallel_tool_calls', ['true', 'false']],
    ['temperature', ['0', '2', '2.1']],
    ...odd,
  ],
};

const image = '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}';
const cached = '"cache_control":{"type":"ephemeral"}';
const blocks = [
  ...texts.map((text) => `{"type":"text","text":${text}}`),
  `{"type":"text","text":"Kept",${cached}}`,
  image,
  '{"type":"image","source":{"type":"url","url":"https://x.test/a.png"}}',
  '{"type":"tool_use","id":"t1","name":"f","input":{"city":"Zürich"}}',
  '{"type":"tool_result","tool_use_id":"t1","content":"sunny"}',
  `{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"no"},${image}]}`,
  '{"type":"thinking","thinking":"hm","signature":"c2lnbmVk"}',
  '{"type":"redacted_thinking","data":"c2VjcmV0"}',
  '{"type":"document","source":{"type":"text","media_type":"text/plain","data":"A page"},"title":"T"}',
  '{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"found"}]}',
];

const messagesParts: BodyParts = {
  models: [...chatModels, '"model":"claude-haiku-5-5"', '"model":"claude-opus-5"', '"model":"claude-haiku-5-5"'],
  ask: (choices, hostile) => {
    const makeTurn = () => {
      if (choices.chance(6)) return hostile();
      const content = choices.chance(40) ? oneOrHostile(choices, texts, hostile) : some(choices, blocks, hostile);
      return `{"role":"${choices.oneOf(['user', 'user', 'assistant', 'system', 'robot'])}","content":${content}}`;
    };
    return `"messages":${listOfSome(choices, 3, makeTurn)},"max_tokens":${oneOrHostile(choices, ['1', '16', '900'], hostile)}`;
  },
  fields: [
    ['system', [...texts, `[{"type":"text","text":"Be brief",${cached}}]`, '[]']],
    ['stream', streams],
    [
      'tools',
      [
        `[{"name":"f","description":"Grüße","input_schema":${schema}}]`,
        `[{"name":"f","input_schema":${schema},${cached}}]`,
        '[{"type":"bash_20250124","name":"bash"}]',
        '[]',
      ],
    ],
    ['tool_choice', ['{"type":"auto"}', '{"type":"any"}', '{"type":"tool","name":"f"}', '{"type":"x"}']],
    ['thinking', ['{"type":"enabled","budget_tokens":1024}', '{"type":"adaptive"}', '{"type":"disabled"}']],
    ['output_config', [`{"format":{"type":"json_schema","schema":${schema}}}`, '{"effort":"low"}']],
    ['stop_sequences', ['["x"]', '[]', '["1","2","3","4","5"]']],
    ['temperature', ['0', '1', '2.1']],
    ['mcp_servers', ['[]', '[{"url":"https://x.test"}]']],
    ...odd,
  ],
};

const embeddingsParts: BodyParts = {
  models: [
    '"model":"text-embedding-3-small"',
    '"model":"text-embedding-3-large"',
    '"model":"text-embedding-3-small"',
    '"model":"gpt-4o-mini"',
  ],
  ask: (choices, hostile) => {
    const ids = () => some(choices, ['15339', '1917', '65', '0', '-1', '1.5'], hostile);
    const input = choices.oneOf([
      () => oneOrHostile(choices, [...texts, '""'], hostile),
      () => some(choices, texts, hostile),
      () => ids(),
      () => listOfSome(choices, 3, ids),
    ]);
    return `"input":${input()}`;
  },
  fields: [
    ['dimensions', ['1', '256', '1536', '0', '1e9', 'null']],
    ['encoding_format', ['"float"', '"base64"', '"int8"', 'null']],
    ['stream', streams],
    ...odd,
  ],
};

const completionsParts: BodyParts = {
  models: chatModels,
  ask: (choices, hostile) =>
    `"prompt":${oneOrHostile(choices, [...texts, ...texts.map((text) => `[${text}]`), '["a","b"]', '[1,2]'], hostile)}`,
  fields: [
    ['max_tokens', numbers],
    ['n', ['1', '2', '9', 'null']],
    ['stream', streams],
    ['suffix', ['""', '"end"', 'null']],
    ['echo', ['true', 'false']],
    ['best_of', ['1', '3']],
    ['logprobs', ['0', '2', 'null']],
    ['stop', ['"x"', '["x","y"]']],
    ['temperature', ['0', '2', '2.1']],
    ...odd,
  ],
};

/** What hostile bodies of each wire are made of. */
export const wireParts: Readonly<Record<OtherWire, BodyParts>> = {
  responses: responsesParts,
  messages: messagesParts,
  embeddings: embeddingsParts,
  completions: completionsParts,
};
