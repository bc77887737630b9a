import Anthropic from '@anthropic-ai/sdk';
import { answerSchema, imageUrl, toAnthropicTools } from './what-to-ask.mjs';

/** One question through Anthropic's official client, with its own defaults. */
export async function askWithAnthropic(order, seen, { signal, onPiece }) {
  const client = new Anthropic({ baseURL: order.baseUrl, apiKey: order.apiKey });
  const question = {
    model: order.model,
    max_tokens: order.maxTokens ?? 1_024,
    messages: [{ role: 'user', content: toContent(order) }],
    ...(order.offersTools ? { tools: toAnthropicTools() } : {}),
    ...(order.wantsJson ? { output_config: { format: { type: 'json_schema', schema: answerSchema } } } : {}),
  };
  if (!order.isStreamed) {
    note(await client.messages.create(question, { signal }), seen);
    return;
  }
  const stream = client.messages.stream(question, { signal });
  let pieces = 0;
  for await (const event of stream) {
    if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue;
    seen.text += event.delta.text;
    pieces += 1;
    onPiece(pieces);
  }
  signal.throwIfAborted();
  note(await stream.finalMessage(), seen);
}

function note({ content, stop_reason: reason, usage }, seen) {
  seen.text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  seen.reasoning = content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('');
  seen.toolCalls = content.flatMap((block) =>
    block.type === 'tool_use' ? [{ name: block.name, arguments: block.input }] : [],
  );
  seen.finishReason = reason;
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  seen.totalTokens = input + (read ?? 0) + (written ?? 0) + usage.output_tokens;
}

function toContent(order) {
  if (!order.sendsImage) return order.text;
  const data = imageUrl.slice(imageUrl.indexOf(',') + 1);
  return [
    { type: 'text', text: order.text },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
  ];
}
