import OpenAI from 'openai';
import { toFlatTools } from './what-to-ask.mjs';

/** A loop of tools through the official client's Responses, which sends back every item as it came. */
export async function loopWithOpenai(order, seen) {
  const client = new OpenAI({ baseURL: order.baseUrl, apiKey: order.apiKey });
  const input = [{ role: 'user', content: order.text }];
  for (;;) {
    const question = { model: order.model, input, tools: toFlatTools(), reasoning: { effort: 'low', summary: 'auto' } };
    const response = order.isStreamed
      ? await client.responses.stream(question).finalResponse()
      : await client.responses.create(question);
    if (response.status === 'failed') throw new Error(response.error.message);
    input.push(...response.output);
    const calls = response.output.filter(({ type }) => type === 'function_call');
    if (calls.length === 0) {
      seen.text = response.output_text;
      return;
    }
    for (const { call_id, name, arguments: text } of calls) {
      const { city } = JSON.parse(text);
      seen.toolCalls.push({ name, arguments: { city } });
      input.push({ type: 'function_call_output', call_id, output: city });
    }
  }
}
