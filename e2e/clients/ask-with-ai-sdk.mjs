import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, Output, streamText, tool } from 'ai';
import { answerSchema, imageUrl, tools } from './what-to-ask.mjs';

/** The Vercel AI SDK's ways to a provider, each with its own defaults. */
export const aiSdkProviders = {
  'ai-sdk': ({ baseUrl: baseURL, apiKey }) =>
    createOpenAICompatible({ name: 'tollgate', baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true }),
  'ai-sdk-openai': ({ baseUrl: baseURL, apiKey }) => createOpenAI({ baseURL, apiKey }),
  'ai-sdk-anthropic': ({ baseUrl, apiKey }) => createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey }),
};

/** One question through the Vercel AI SDK. */
export async function askWithAiSdk(order, seen, { signal, onPiece }) {
  const provider = aiSdkProviders[order.client](order);
  const question = {
    model: provider(order.model),
    providerOptions: {
      ...(order.wantsReasoning ? { openai: { reasoningSummary: 'auto' } } : {}),
      // It offers a tool in the place of a schema to models that it does not know.
      ...(order.wantsJson ? { anthropic: { structuredOutputMode: 'outputFormat' } } : {}),
    },
    messages: [{ role: 'user', content: toContent(order) }],
    abortSignal: signal,
    ...(order.maxTokens ? { maxOutputTokens: order.maxTokens } : {}),
    ...(order.offersTools ? { tools: toToolSet() } : {}),
    ...(order.wantsJson ? { output: Output.object({ schema: jsonSchema(answerSchema) }) } : {}),
  };
  if (order.isStreamed) {
    await readStream(streamText({ ...question, onError: () => {} }), seen, onPiece);
    signal.throwIfAborted();
    return;
  }
  const result = await generateText(question);
  seen.text = result.text;
  seen.reasoning = result.reasoningText ?? '';
  seen.toolCalls = result.toolCalls.map(({ toolName, input }) => ({ name: toolName, arguments: input }));
  seen.finishReason = result.finishReason;
  seen.totalTokens = result.totalUsage.totalTokens ?? null;
}

async function readStream(result, seen, onPiece) {
  let pieces = 0;
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') {
      seen.text += part.text;
      pieces += 1;
      onPiece(pieces);
    }
    if (part.type === 'reasoning-delta') seen.reasoning += part.text;
    if (part.type === 'tool-call') seen.toolCalls.push({ name: part.toolName, arguments: part.input });
    if (part.type === 'error') throw part.error;
    if (part.type === 'finish') {
      seen.finishReason = part.finishReason;
      seen.totalTokens = part.totalUsage.totalTokens ?? null;
    }
  }
}

function toContent(order) {
  if (!order.sendsImage) return order.text;
  return [
    { type: 'text', text: order.text },
    { type: 'image', image: imageUrl },
  ];
}

function toToolSet() {
  return Object.fromEntries(
    tools.map(({ function: { name, description, parameters } }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
}
