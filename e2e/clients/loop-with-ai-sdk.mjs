import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { aiSdkProviders } from './ask-with-ai-sdk.mjs';
import { tools } from './what-to-ask.mjs';

/** A loop of tools that the Vercel AI SDK runs by itself. */
export async function loopWithAiSdk(order, seen) {
  const question = {
    model: aiSdkProviders[order.client](order)(order.model),
    prompt: order.text,
    tools: toToolSet(seen),
    stopWhen: stepCountIs(10),
    providerOptions: {
      anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } },
      // It takes no other maker's model for one that thinks.
      ...(order.storesNothing ? { openai: { store: false, forceReasoning: true, reasoningEffort: 'low' } } : {}),
    },
  };
  if (!order.isStreamed) {
    seen.text = (await generateText(question)).text;
    return;
  }
  for await (const part of streamText({ ...question, onError: () => {} }).fullStream) {
    if (part.type === 'text-delta') seen.text += part.text;
    if (part.type === 'error') throw part.error;
  }
}

function toToolSet(seen) {
  return Object.fromEntries(
    tools.map(({ function: { name, description, parameters } }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema(parameters),
        execute: async ({ city }) => {
          seen.toolCalls.push({ name, arguments: { city } });
          return city;
        },
      }),
    ]),
  );
}
