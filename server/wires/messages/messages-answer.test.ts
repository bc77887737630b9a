import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatDelta,
  CompletionUsage,
  ToolCallDelta,
} from '../../providers/chat-types.js';
import { readMessagesStream } from '../../test/messages-shape.js';
import { MessagesAnswer } from './messages-answer.js';

const usage = {
  ...{ prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
} satisfies CompletionUsage;

describe('MessagesAnswer', () => {
  it('tells arguments that are nested too deep to be written again as the text that they are', () => {
    const text = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const message = {
      ...{ role: 'assistant', content: null, refusal: null },
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }],
    } as const;
    const completion = { choices: [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }] };
    const answer = new MessagesAnswer({ callId: 'call_1', model: 'm', promptTokensEstimate: 1 });
    const body = answer.toBody(completion as unknown as ChatCompletion)(usage);
    expect(JSON.parse(JSON.stringify(body))).toMatchObject({ content: [{ type: 'tool_use', input: { _raw: text } }] });
  });

  const chunkOf = (delta: ChatDelta) =>
    ({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }] }) as unknown as ChatCompletionChunk;
  const opening = (index: number, input: string): ToolCallDelta => ({
    ...{ index, id: `c${index}`, type: 'function' },
    function: { name: `f${index}`, arguments: input },
  });
  const more = (index: number, input: string): ToolCallDelta => ({ index, function: { arguments: input } });

  /** What each delta, and then the end of the answer, tells: the beginnings of blocks, what is in them, and their ends. */
  function tell(...deltas: ChatDelta[]): string[] {
    const answer = new MessagesAnswer({ callId: 'call_1', model: 'm', promptTokensEstimate: 1 });
    const texts = [...deltas.map((delta) => answer.toEvents(chunkOf(delta))), answer.toEnd(usage)];
    readMessagesStream(texts.join(''));
    return texts.map((text) =>
      [
        ...text.matchAll(
          /"content_block":\{"type":"(\w+)"|"(?:text|thinking|partial_json)":("(?:[^"\\]|\\.)+")\}|(block_stop)"/g,
        ),
      ]
        .map(([, begun, words, ended]) => begun ?? words ?? (ended ? 'end' : ''))
        .join(' '),
    );
  }

  it('invents no block for a call that goes on behind text and thinking, which wait for it', () => {
    expect(
      tell(
        { tool_calls: [opening(0, '{"a"')] },
        { content: 'So' },
        { reasoning_content: 'Hm' },
        { tool_calls: [more(0, ':1')] },
        { tool_calls: [more(0, '}')] },
        { content: '.' },
      ),
    ).toEqual(['tool_use "{\\"a\\""', '', '', '":1"', '"}" end text "So" end thinking "Hm"', 'end text "."', 'end']);
  });

  it('tells what follows a whole call as it comes, be it text or the next call', () => {
    expect(
      tell(
        { tool_calls: [opening(0, '{}')] },
        { tool_calls: [opening(1, '')] },
        { tool_calls: [more(1, '{}')] },
        { content: 'So' },
      ),
    ).toEqual(['tool_use "{}"', 'end tool_use', '"{}"', 'end text "So"', 'end']);
  });

  it('tells at the end what waits for a call that never becomes whole', () => {
    expect(tell({ tool_calls: [opening(0, '{"a"')] }, { tool_calls: [opening(1, '{}')] }, { content: 'So' })).toEqual([
      'tool_use "{\\"a\\""',
      '',
      '',
      'end tool_use "{}" end text "So" end',
    ]);
  });
});
