import type {
  MessageCreateParamsNonStreaming,
  MessageCreateParamsStreaming,
} from '@anthropic-ai/sdk/resources/messages';
import { Secret } from '../../kernel/secret.js';
import type { ChatRequest } from '../chat-types.js';
import { toAnthropicRequest } from './anthropic-request.js';
import type { AnthropicRequest } from './anthropic-types.js';

// These two do not compile when what we send is no longer what the official client may send.
const toPlainParams = ({ stream: _stream, ...body }: AnthropicRequest): MessageCreateParamsNonStreaming => body;
const toStreamParams = (body: AnthropicRequest): MessageCreateParamsStreaming => ({ ...body, stream: true });

const request: ChatRequest = {
  model: 'public-name',
  messages: [{ role: 'user', content: 'Hi' }],
  max_completion_tokens: 9,
  safety_identifier: 'jane@example.org',
  stream: true,
};

describe('what we send', () => {
  const body = toAnthropicRequest(request, { upstreamModel: 'claude-opus-5', apiKey: new Secret('sk-ours') });

  it('is what the official client may send, streamed or not', () => {
    expect(toStreamParams(body)).toEqual(body);
    expect({ ...toPlainParams(body), stream: true }).toEqual(body);
  });
});
