import Anthropic from '@anthropic-ai/sdk';
import { toAnthropicTools } from './what-to-ask.mjs';

/** A loop of tools through Anthropic's official client, which sends back every block as it came. */
export async function loopWithAnthropic(order, seen) {
  const client = new Anthropic({ baseURL: order.baseUrl, apiKey: order.apiKey });
  const messages = [{ role: 'user', content: order.text }];
  for (;;) {
    const question = {
      model: order.model,
      max_tokens: 4_096,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      messages,
      tools: toAnthropicTools(),
    };
    const { content } = order.isStreamed
      ? await client.messages.stream(question).finalMessage()
      : await client.messages.create(question);
    messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) {
      seen.text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      return;
    }
    for (const { name, input } of calls) seen.toolCalls.push({ name, arguments: { city: input.city } });
    const results = calls.map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: input.city }));
    messages.push({ role: 'user', content: results });
  }
}
