import OpenAI from 'openai';
import { answerSchema, toMessages, tools } from './what-to-ask.mjs';

/** One question through the official client, with its own defaults. */
export async function askWithOpenai(order, seen, { signal, onPiece }) {
  const client = new OpenAI({ baseURL: order.baseUrl, apiKey: order.apiKey });
  const question = {
    model: order.model,
    messages: toMessages(order),
    ...(order.maxTokens ? { max_tokens: order.maxTokens } : {}),
    ...(order.offersTools ? { tools } : {}),
    ...(order.wantsJson
      ? { response_format: { type: 'json_schema', json_schema: { name: 'place', schema: answerSchema, strict: true } } }
      : {}),
  };
  if (!order.isStreamed) {
    note(await client.chat.completions.create(question, { signal }), seen);
    return;
  }
  const stream = client.chat.completions.stream(
    { ...question, stream: true, stream_options: { include_usage: true } },
    { signal },
  );
  let pieces = 0;
  let reasoning = '';
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta;
    reasoning += delta?.reasoning_content ?? '';
    if (delta?.content) {
      seen.text += delta.content;
      pieces += 1;
      onPiece(pieces);
    }
  }
  note(await stream.finalChatCompletion(), seen);
  // Of a field that it does not know, this client's sum keeps the last piece only.
  seen.reasoning = reasoning;
}

function note(completion, seen) {
  const [choice] = completion.choices;
  seen.text = choice.message.content ?? '';
  seen.reasoning = choice.message.reasoning_content ?? '';
  seen.refusal = choice.message.refusal ?? '';
  seen.toolCalls = (choice.message.tool_calls ?? []).map((call) => ({
    name: call.function.name,
    arguments: JSON.parse(call.function.arguments),
  }));
  seen.finishReason = choice.finish_reason;
  seen.totalTokens = completion.usage?.total_tokens ?? null;
}
