import { ChatOpenAI } from '@langchain/openai';
import { answerSchema, toMessages, tools } from './what-to-ask.mjs';

// Its own default of 6 retries waits up to a minute; everything else is as it comes.
const maxRetries = 2;

/** One question through LangChain. */
export async function askWithLangchain(order, seen, { signal, onPiece }) {
  const model = new ChatOpenAI({
    model: order.model,
    apiKey: order.apiKey,
    configuration: { baseURL: order.baseUrl },
    maxRetries,
    ...(order.maxTokens ? { maxTokens: order.maxTokens } : {}),
  });
  const options = {
    signal,
    ...(order.offersTools ? { tools } : {}),
    ...(order.wantsJson
      ? { response_format: { type: 'json_schema', json_schema: { name: 'place', schema: answerSchema, strict: true } } }
      : {}),
  };
  if (!order.isStreamed) {
    note(await model.invoke(toMessages(order), options), seen);
    return;
  }
  let whole = null;
  let pieces = 0;
  for await (const chunk of await model.stream(toMessages(order), options)) {
    whole = whole === null ? chunk : whole.concat(chunk);
    if (chunk.content === '') continue;
    seen.text += chunk.content;
    pieces += 1;
    onPiece(pieces);
  }
  // The stream of a caller who left ends without an error of its own.
  signal.throwIfAborted();
  if (whole !== null) note(whole, seen);
}

function note(message, seen) {
  seen.text = message.content;
  seen.reasoning = message.additional_kwargs.reasoning_content ?? '';
  seen.refusal = message.additional_kwargs.refusal ?? '';
  seen.toolCalls = (message.tool_calls ?? []).map(({ name, args }) => ({ name, arguments: args }));
  seen.finishReason = message.response_metadata.finish_reason ?? null;
  seen.totalTokens = message.usage_metadata?.total_tokens ?? null;
}
