import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';

/** A loop of tools that OpenAI's agents run by themselves, over Responses as they do unless told otherwise. */
export async function loopWithAgents(order, seen) {
  const modelProvider = new OpenAIProvider({ baseURL: order.baseUrl, apiKey: order.apiKey });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const weather = tool({
    name: 'get_weather',
    description: 'The weather in a city',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      seen.toolCalls.push({ name: 'get_weather', arguments: { city } });
      return city;
    },
  });
  const agent = new Agent({
    name: 'Forecaster',
    instructions: 'You tell the weather.',
    model: order.model,
    modelSettings: { reasoning: { effort: 'low', summary: 'auto' } },
    tools: [weather],
  });
  if (!order.isStreamed) {
    seen.text = (await runner.run(agent, order.text)).finalOutput;
    return;
  }
  const result = await runner.run(agent, order.text, { stream: true });
  for await (const event of result) if (event.type === 'error') throw event.error;
  await result.completed;
  seen.text = result.finalOutput;
}
