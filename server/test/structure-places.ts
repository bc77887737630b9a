import { bodyShape } from '../providers/chat-request-shape.js';

/** Where a body is sent, and so which fields it has. */
export type BodyForm = 'chat' | 'responses' | 'messages' | 'embeddings' | 'completions' | 'graphql' | 'event';

/** A name of the place, and a body as JSON with `@` there; `@text` is for a value that is written as a text. */
export type Place = readonly [path: string, body: string];

/** A message that is right. */
export const question = '{"role":"user","content":"Hello"}';
/** A tool call that is right. */
export const call = '{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}';
const chat = (fields: string) => `{"model":"%model%","max_tokens":16,${fields}}`;
const asked = (field: string) => chat(`"messages":[${question}],${field}`);
const inMessage = (field: string) =>
  chat(`"messages":[${question},{"role":"assistant","content":"x",${field}},${question}]`);
const inTool = (field: string) => asked(`"tools":[{"type":"function","function":{"name":"f",${field}}}]`);
const answered = (text: string) => chat(`"messages":[${question},${text},${question}]`);

const topFields = [
  ...Object.keys(bodyShape.shape),
  ...'functions function_call modalities service_tier audio prediction metadata unknown'.split(' '),
];

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
  ['a namespace', responses('"input":"Hello","tools":[{"type":"namespace","name":"n","tools":@}]')],
  ['reasoning', responses('"input":[{"type":"reasoning","summary":[],"encrypted_content":@}]')],
  ['metadata', responses('"input":"Hello","metadata":@')],
  ['include', responses('"input":"Hello","include":@')],
];

const messages = (fields: string) => `{"model":"%model%","max_tokens":16,${fields}}`;
const toldBy = (role: string, content: string) =>
  messages(`"messages":[${question},{"role":"${role}","content":${content}}]`);
const messagesPlaces: readonly Place[] = [
  ['the body', '@'],
  ...'model messages max_tokens system tools tool_choice thinking output_config metadata stop_sequences temperature top_p stream mcp_servers unknown'
    .split(' ')
    .map((field): Place => [field, messages(`"messages":[${question}],"${field}":@`)]),
  ['a message', messages('"messages":[@]')],
  ['content', toldBy('user', '@')],
  ['a block', toldBy('user', '[@]')],
  ['a text', toldBy('user', '[{"type":"text","text":@}]')],
  ['an image', toldBy('user', '[{"type":"image","source":@}]')],
  ['a document', toldBy('user', '[{"type":"document","source":@}]')],
  ['a document’s content', toldBy('user', '[{"type":"document","source":{"type":"content","content":@}}]')],
  ['a search result', toldBy('user', '[{"type":"search_result","content":@}]')],
  ['a result', toldBy('user', '[{"type":"tool_result","tool_use_id":"c","content":@}]')],
  ['a block of a result', toldBy('user', '[{"type":"tool_result","tool_use_id":"c","content":[@]}]')],
  ['an answer’s block', toldBy('assistant', '[@]')],
  ['a call’s input', toldBy('assistant', '[{"type":"tool_use","id":"c","name":"f","input":@}]')],
  ['a signature', toldBy('assistant', '[{"type":"thinking","thinking":"x","signature":@}]')],
  ['redacted thinking', toldBy('assistant', '[{"type":"redacted_thinking","data":@}]')],
  ['a system block', messages(`"messages":[${question}],"system":[@]`)],
  ['a schema', messages(`"messages":[${question}],"tools":[{"name":"f","input_schema":@}]`)],
  ['a format', messages(`"messages":[${question}],"output_config":{"format":@}`)],
];

const embeddings = (model: string, fields: string) => `{"model":"${model}",${fields}}`;
const embeddingsPlaces: readonly Place[] = [
  ['the body', '@'],
  ['model', '{"model":@,"input":"x"}'],
  ...['text-embedding-3-small', 'gemini-embedding-001'].flatMap((model): Place[] => [
    ['input', embeddings(model, '"input":@')],
    ['an item', embeddings(model, '"input":["x",@]')],
    ['the first item', embeddings(model, '"input":[@]')],
    ['ids', embeddings(model, '"input":[[1],@]')],
    ['an id', embeddings(model, '"input":[1,@]')],
    ...'dimensions encoding_format user stream unknown'
      .split(' ')
      .map((field): Place => [field, embeddings(model, `"input":"x","${field}":@`)]),
  ]),
];

const completions = (fields: string) => `{"model":"%model%","max_tokens":16,${fields}}`;
const completionsPlaces: readonly Place[] = [
  ['the body', '@'],
  ['prompt', completions('"prompt":@')],
  ['a prompt', completions('"prompt":[@]')],
  ...'model max_tokens n stream stop suffix echo best_of logprobs logit_bias user unknown'
    .split(' ')
    .map((field): Place => [field, completions(`"prompt":"Hello","${field}":@`)]),
];

const graphql = (query: string, variables: string) => `{"query":${JSON.stringify(query)},"variables":${variables}}`;
const createKey = 'mutation ($input: ApiKeyInput!) { createApiKey(input: $input) { secret } }';
const graphqlPlaces: readonly Place[] = [
  ['the body', '@'],
  ['query', '{"query":@}'],
  ['query as text', '{"query":@text}'],
  ['variables', graphql('{ models { id } }', '@')],
  ['operationName', '{"query":"{ models { id } }","operationName":@}'],
  ['extensions', '{"query":"{ models { id } }","extensions":@}'],
  ['an id', graphql('query ($id: ID!) { call(id: $id) { id } }', '{"id":@}')],
  ['first', graphql('query ($n: Int) { calls(first: $n) { edges { cursor } } }', '{"n":@}')],
  ['filter', graphql('query ($f: CallFilter) { calls(filter: $f) { edges { cursor } } }', '{"f":@}')],
  ...'name scopes models providers addresses spendLimit expiresAt requestsPerMinute unknown'
    .split(' ')
    .map((field): Place => [`key.${field}`, graphql(createKey, `{"input":{"name":"n","${field}":@}}`)]),
  [
    'a filter’s model',
    graphql('query ($f: CallFilter) { calls(filter: $f) { edges { cursor } } }', '{"f":{"model":@}}'),
  ],
  [
    'a webhook',
    graphql(
      'mutation ($i: BalanceAlertInput!) { setBalanceAlert(input: $i) { email } }',
      '{"i":{"email":false,"webhookUrl":@}}',
    ),
  ],
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

/** The places of each form of a body where an odd value may stand. */
export const places: Readonly<Record<BodyForm, readonly Place[]>> = {
  chat: chatPlaces,
  responses: responsesPlaces,
  messages: messagesPlaces,
  embeddings: embeddingsPlaces,
  completions: completionsPlaces,
  graphql: graphqlPlaces,
  event: eventPlaces,
};
