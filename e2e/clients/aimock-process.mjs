/*
 * An independent double of three providers, in a process of its own: `@copilotkit/aimock` answers as OpenAI, Anthropic and
 * Gemini, each in its own form, what `@@says=…` in the last user message asks for. Prints its address when it listens.
 * `GET /__aimock/journal` tells every request that it understood.
 */
import { LLMock } from '@copilotkit/aimock';

const weather = (city) => ({ name: 'get_weather', arguments: JSON.stringify({ city }) });

/** Name -> what is answered, and how many tokens the answer has; the prompt always has eleven. */
const answers = {
  text: [{ content: 'Hello from upstream' }, 3],
  tool: [{ toolCalls: [weather('Paris')] }, 3],
  'two-tools': [{ toolCalls: [weather('Paris'), weather('Oslo')] }, 5],
  'bare-tool': [{ toolCalls: [{ name: 'get_time', arguments: '{}' }] }, 1],
  json: [{ content: '{"city":"Paris"}' }, 2],
  reasoning: [{ content: 'Done', reasoning: 'Let me think.' }, 3],
  length: [{ content: 'one two three', finishReason: 'length' }, 5],
};

// Each provider calls its counts otherwise.
const toUsage = (outputTokens) => ({
  prompt_tokens: 11,
  completion_tokens: outputTokens,
  input_tokens: 11,
  output_tokens: outputTokens,
  promptTokenCount: 11,
  candidatesTokenCount: outputTokens,
});

const double = new LLMock({ port: 0, strict: true, logLevel: 'silent', chunkSize: 5 });
for (const [name, [answer, outputTokens]] of Object.entries(answers)) {
  double.on({ userMessage: new RegExp(`@@says=${name}$`) }, { ...answer, usage: toUsage(outputTokens) });
}
await double.start();
console.log(double.url);
