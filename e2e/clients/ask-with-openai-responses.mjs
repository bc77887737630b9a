import OpenAI from 'openai';
import { answerSchema, imageUrl, toFlatTools } from './what-to-ask.mjs';

/** One question through the official client's Responses, with its own defaults. */
export async function askWithOpenaiResponses(order, seen, { signal, onPiece }) {
  const client = new OpenAI({ baseURL: order.baseUrl, apiKey: order.apiKey });
  const question = {
    model: order.model,
    input: toInput(order),
    ...(order.maxTokens ? { max_output_tokens: order.maxTokens } : {}),
    ...(order.offersTools ? { tools: toFlatTools() } : {}),
    ...(order.wantsReasoning ? { reasoning: { summary: 'auto' } } : {}),
    ...(order.wantsJson
      ? { text: { format: { type: 'json_schema', name: 'place', schema: answerSchema, strict: true } } }
      : {}),
  };
  if (!order.isStreamed) {
    note(await client.responses.create(question, { signal }), seen);
    return;
  }
  const stream = client.responses.stream(question, { signal });
  let pieces = 0;
  for await (const event of stream) {
    if (event.type !== 'response.output_text.delta') continue;
    seen.text += event.delta;
    pieces += 1;
    onPiece(pieces);
  }
  signal.throwIfAborted();
  note(await stream.finalResponse(), seen);
}

function note(response, seen) {
  // The client gives such a response to its user, who has to look.
  if (response.status === 'failed') throw Object.assign(new Error(response.error.message), response.error);
  const parts = response.output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const summaries = response.output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
  seen.text = response.output_text;
  seen.refusal = parts.map((part) => (part.type === 'refusal' ? part.refusal : '')).join('');
  seen.reasoning = summaries.map(({ text }) => text).join('');
  seen.toolCalls = response.output.flatMap((item) =>
    item.type === 'function_call' ? [{ name: item.name, arguments: JSON.parse(item.arguments || '{}') }] : [],
  );
  seen.finishReason = response.incomplete_details?.reason ?? response.status;
  seen.totalTokens = response.usage?.total_tokens ?? null;
}

function toInput(order) {
  if (!order.sendsImage) return order.text;
  const content = [
    { type: 'input_text', text: order.text },
    { type: 'input_image', image_url: imageUrl, detail: 'low' },
  ];
  return [{ role: 'user', content }];
}
