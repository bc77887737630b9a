import { AppError } from '../../kernel/app-error.js';
import { parseRequest, type WireName } from './parse-request.js';

const user = [{ role: 'user', content: 'And then?' }];
const bodies: Readonly<Partial<Record<WireName, object>>> = {
  chat: { model: 'm', messages: user },
  responses: { model: 'm', input: 'And then?' },
  messages: { model: 'm', max_tokens: 10, messages: user },
};
const parse = (wire: WireName, fields: object) =>
  parseRequest(JSON.stringify({ ...bodies[wire], ...fields }), { wire }).request;

function refusalOf(wire: WireName, fields: object): AppError {
  try {
    parse(wire, fields);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('It was read.');
}

const input = { messages: undefined, input: 'And then?' };

describe('What would be answered in another way', () => {
  it.each<[WireName, object, string]>([
    ['chat', { ...input, previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['chat', { ...input, conversation: 'conv_1' }, 'conversation'],
    ['chat', { ...input, prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['chat', { ...input, reasoning: { mode: 'pro' } }, 'reasoning.mode'],
    ['responses', { reasoning: { mode: 'pro' } }, 'reasoning.mode'],
    ['messages', { thread: { type: 'continue', previous_message_id: 'msg_1' } }, 'thread'],
    ['messages', { compaction: { type: 'summarize' } }, 'compaction'],
    ['messages', { inference_geo: 'us' }, 'inference_geo'],
    ['messages', { speed: 'fast' }, 'speed'],
    ['messages', { fallbacks: [{ model: 'other' }] }, 'fallbacks'],
    ['messages', { output_config: { task_budget: { type: 'tokens', total: 20_000 } } }, 'output_config.task_budget'],
    ['messages', { task_budget: { type: 'tokens', total: 20_000 } }, 'task_budget'],
  ])('is refused by name and never left out, over %s: %j', (wire, fields, param) => {
    const refusal = refusalOf(wire, fields);
    expect(refusal.param).toBe(param);
    expect(refusal.message).toMatch(`'${param}'`);
    expect(refusal.message).toContain('Remove it');
  });

  it.each<[WireName, object]>([
    ['chat', { previous_response_id: null }],
    ['responses', { reasoning: { mode: 'standard', effort: 'low' } }],
    ['messages', { thread: null, compaction: null, inference_geo: 'global' }],
    ['messages', { speed: 'standard', fallbacks: [], output_config: { task_budget: null } }],
  ])('is nothing where a field asks for what is done anyway, over %s: %j', (wire, fields) => {
    expect(parse(wire, fields).messages).toEqual(user);
  });

  it.each<[WireName]>([['chat'], ['responses'], ['messages']])(
    'is refused as a kind of thinking that nobody here knows, over %s',
    (wire) => {
      const refusal = refusalOf(wire, { thinking: { type: 'sideways' } });
      expect(refusal).toMatchObject({ code: 'unsupported_value', param: 'thinking.type' });
      expect(refusal.message).toContain('Send "disabled"');
    },
  );

  it.each<[WireName]>([['chat'], ['responses']])(
    'is refused as thinking between tools over %s, where no model is told of it',
    (wire) => {
      expect(refusalOf(wire, { thinking: { type: 'between_tools' } })).toMatchObject({ param: 'thinking.type' });
    },
  );

  it('is no number of alternatives over responses, where log probabilities are not asked for', () => {
    const include = ['message.output_text.logprobs'];
    expect(parse('responses', { top_logprobs: 5 }).top_logprobs).toBeUndefined();
    expect(parse('responses', { top_logprobs: 5, include })).toMatchObject({ logprobs: true, top_logprobs: 5 });
  });
});

const flat = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } });
const nested = (name: string) => ({ type: 'function', function: { name } });
const allowed = (...names: string[]) => ({ type: 'allowed_tools', mode: 'auto', tools: names.map(flat) });

describe('A choice of a tool that is not among those of the request', () => {
  it.each<[WireName, object]>([
    ['chat', { tools: [nested('a')], tool_choice: nested('b') }],
    ['chat', { functions: [{ name: 'a' }], function_call: { name: 'b' } }],
    ['chat', { tools: [nested('a')], tool_choice: { type: 'allowed_tools', allowed_tools: allowed('b') } }],
    ['responses', { tools: [flat('a')], tool_choice: flat('b') }],
    ['responses', { tools: [flat('a')], tool_choice: allowed('a', 'b') }],
    ['responses', { tools: [flat('a')], tool_choice: allowed() }],
    [
      'responses',
      { tools: [flat('a')], tool_choice: { ...allowed('a'), tools: [{ type: 'mcp', server_label: 's' }] } },
    ],
    ['messages', { tools: [{ name: 'a', input_schema: {} }], tool_choice: { type: 'tool', name: 'b' } }],
  ])('is refused, and the model is not asked without it, over %s: %j', (wire, fields) => {
    expect(refusalOf(wire, fields)).toMatchObject({ code: 'invalid_value', param: 'tool_choice' });
  });
});

describe('A choice of a tool in a namespace, over responses', () => {
  const crm = { type: 'namespace', name: 'crm', tools: [flat('find'), flat('add')] };
  const search = { type: 'web_search', external_web_access: true };

  it.each([
    [{ type: 'function', name: 'crm.find' }],
    [{ type: 'function', name: 'find', namespace: 'crm' }],
    [{ type: 'function', name: 'find' }],
    [{ type: 'function', name: 'crm__find' }],
  ])('is of that tool, however it is named: %j', (choice) => {
    const { tool_choice } = parse('responses', { tools: [crm, flat('other')], tool_choice: choice });
    expect(tool_choice).toEqual(nested('crm__find'));
  });

  it('may be among allowed ones, beside the web search that Codex offers unasked', () => {
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [flat('crm.add'), { type: 'web_search' }] };
    const { tools } = parse('responses', { tools: [crm, search], tool_choice: choice });
    expect(tools?.map((tool) => tool.function.name)).toEqual(['crm__add']);
  });
});

const call = { type: 'function_call', call_id: 'c', name: 'a', arguments: '{}' };
const use = { type: 'tool_use', id: 'c', name: 'a', input: {} };
const ofAssistant = (block: object) => ({ messages: [...user, { role: 'assistant', content: [block] }] });
const ofUser = (block: object) => ({ messages: [{ role: 'user', content: [block] }] });

describe('A fault in a tool, a call or an image', () => {
  it.each<[WireName, object, string]>([
    ['responses', { tools: [flat('a b')] }, 'tools[0].name'],
    ['responses', { tools: [{ ...flat('a'), parameters: 'x' }] }, 'tools[0].parameters'],
    ['responses', { tools: [flat('a')], tool_choice: { type: 'function' } }, 'tool_choice.name'],
    ['responses', { input: [{ ...call, call_id: undefined }] }, 'input[0].call_id'],
    ['responses', { input: [call, { ...call, name: 5 }] }, 'input[1].name'],
    ['responses', { input: ofUser({ type: 'input_image', file_id: 'f' }).messages }, 'input[0].content[0].image_url'],
    ['messages', { tools: [{ name: 'a b', input_schema: {} }] }, 'tools[0].name'],
    ['messages', { tools: [{ name: 'a', input_schema: 'x' }] }, 'tools[0].input_schema'],
    ['messages', { tool_choice: { type: 'required' } }, 'tool_choice.type'],
    ['messages', ofAssistant({ ...use, id: undefined }), 'messages[1].content[0].id'],
    ['messages', ofUser({ type: 'tool_result', content: 'x' }), 'messages[0].content[0].tool_use_id'],
  ])('is named as its sender has written it, over %s: %j', (wire, fields, param) => {
    const refusal = refusalOf(wire, fields);
    expect(refusal.param).toBe(param);
    expect(refusal.message).toContain(`'${param}'`);
  });
});
