import { OpenRouter } from '@openrouter/sdk';
import { toMessages, tools } from './what-to-ask.mjs';

/** One question through OpenRouter's own client, which checks every field of what comes; the models are listed first. */
export async function askWithOpenrouter(order, seen, { signal, onPiece }) {
  const client = new OpenRouter({ serverURL: order.baseUrl, apiKey: order.apiKey });
  for await (const page of await client.models.list()) {
    const { data } = page.result ?? page;
    if (!data.some(({ id }) => id === order.model)) throw new Error(`${order.model} is not in the list`);
  }
  const chatRequest = {
    model: order.model,
    messages: toMessages(order),
    ...(order.maxTokens ? { maxTokens: order.maxTokens } : {}),
    ...(order.offersTools ? { tools } : {}),
  };
  if (!order.isStreamed) {
    const { choices, usage } = await client.chat.send({ chatRequest: { ...chatRequest, stream: false } }, { signal });
    note(choices[0].message, seen);
    seen.finishReason = choices[0].finishReason;
    seen.totalTokens = usage.totalTokens;
    return;
  }
  const streamed = { ...chatRequest, stream: true, streamOptions: { includeUsage: true } };
  let pieces = 0;
  for await (const chunk of await client.chat.send({ chatRequest: streamed }, { signal })) {
    const [choice] = chunk.choices;
    seen.finishReason = choice?.finishReason ?? seen.finishReason;
    seen.totalTokens = chunk.usage?.totalTokens ?? seen.totalTokens;
    for (const call of choice?.delta.toolCalls ?? []) gather(call, seen);
    if (!choice?.delta.content) continue;
    seen.text += choice.delta.content;
    pieces += 1;
    onPiece(pieces);
  }
  seen.toolCalls = seen.toolCalls.map(({ name, arguments: text }) => ({ name, arguments: JSON.parse(text) }));
}

function gather({ index, function: piece }, seen) {
  seen.toolCalls[index] ??= { name: '', arguments: '' };
  seen.toolCalls[index].name += piece?.name ?? '';
  seen.toolCalls[index].arguments += piece?.arguments ?? '';
}

function note(message, seen) {
  seen.text = message.content ?? '';
  seen.refusal = message.refusal ?? '';
  seen.toolCalls = (message.toolCalls ?? []).map((call) => ({
    name: call.function.name,
    arguments: JSON.parse(call.function.arguments),
  }));
}
