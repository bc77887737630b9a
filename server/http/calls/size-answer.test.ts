import type { ChatRequest } from '../../providers/chat-types.js';
import type { FoundModel } from '../../providers/model-catalogue.js';
import { sizeAnswer } from './size-answer.js';

const mebibyte = 1024 * 1024;
const model = { maxOutputTokens: 16_384 } as FoundModel;
const sizeOf = (fields: Partial<ChatRequest>, found: FoundModel | null = model) =>
  sizeAnswer({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields } as ChatRequest, found);

describe('The memory that an answer is counted with', () => {
  it('is none for words alone, a short answer or a stream, however long its cap', () => {
    expect(sizeOf({})).toBe(0);
    expect(sizeOf({}, { maxOutputTokens: 128_000 } as FoundModel)).toBe(0);
    expect(sizeOf({ logprobs: true, top_logprobs: 20, max_completion_tokens: 500 })).toBe(0);
    expect(sizeOf({ logprobs: true, top_logprobs: 20, stream: true })).toBe(0);
    expect(sizeOf({ logprobs: true, top_logprobs: 20 }, null)).toBe(0);
  });

  it.each([1, 5, 20])(
    'has room for all of %d log probabilities for each token, as a provider writes them',
    (logprobs) => {
      const one = { token: ' hello', logprob: -12.345678901, bytes: [32, 104, 101, 108, 108, 111] };
      const token = { ...one, top_logprobs: Array.from({ length: logprobs }, () => one) };
      const bytes = sizeOf({ logprobs: true, top_logprobs: logprobs, max_completion_tokens: 2_600 });
      expect(bytes === 0 ? mebibyte : bytes).toBeGreaterThan(2_600 * JSON.stringify(token).length * 0.99);
    },
  );

  it('is that of all choices, and 16 MB at most', () => {
    expect(sizeOf({ n: 16 })).toBe(16 * 16_384 * 8);
    expect(sizeOf({ n: 128 }, { maxOutputTokens: 65_536 } as FoundModel)).toBe(16 * mebibyte);
  });
});
