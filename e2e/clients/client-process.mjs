/*
 * Speaks to a server through the real clients, in a process of its own as a caller's program would be. Reads one order a
 * line as JSON, all of them at once, and prints for each what that client let its user see:
 * { id, seen: { text, reasoning, refusal, toolCalls, finishReason, totalTokens, error } }. The order { id, leave: true } makes
 * the user of an earlier one go away. An order with `runsTools` runs a whole loop of tools, whose answers are the names of cities.
 */
import { createInterface } from 'node:readline';
import { askWithAiSdk } from './ask-with-ai-sdk.mjs';
import { askWithAnthropic } from './ask-with-anthropic.mjs';
import { askWithLangchain } from './ask-with-langchain.mjs';
import { askWithOpenai } from './ask-with-openai.mjs';
import { askWithOpenaiResponses } from './ask-with-openai-responses.mjs';
import { askWithOpenrouter } from './ask-with-openrouter.mjs';
import { embedders } from './embed-with-clients.mjs';
import { loopWithAgents } from './loop-with-agents.mjs';
import { loopWithAiSdk } from './loop-with-ai-sdk.mjs';
import { loopWithAnthropic } from './loop-with-anthropic.mjs';
import { loopWithOpenai } from './loop-with-openai.mjs';

const clients = {
  openai: askWithOpenai,
  openrouter: askWithOpenrouter,
  langchain: askWithLangchain,
  'openai-responses': askWithOpenaiResponses,
  anthropic: askWithAnthropic,
  'ai-sdk': askWithAiSdk,
  'ai-sdk-openai': askWithAiSdk,
  'ai-sdk-anthropic': askWithAiSdk,
};
const loops = {
  'openai-responses': loopWithOpenai,
  'openai-agents': loopWithAgents,
  anthropic: loopWithAnthropic,
  'ai-sdk-openai': loopWithAiSdk,
  'ai-sdk-anthropic': loopWithAiSdk,
};

// The AI SDK prints what it thinks of a model that it does not know, between our lines.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Order's id -> what makes its user go away. */
const leavings = new Map();

createInterface({ input: process.stdin }).on('line', async (line) => {
  const order = JSON.parse(line);
  if (order.leave) {
    leavings.get(order.id)?.abort();
    return;
  }
  const seen = { text: '', reasoning: '', refusal: '', toolCalls: [], finishReason: null, totalTokens: null };
  const leaving = new AbortController();
  leavings.set(order.id, leaving);
  /** Told of each piece of an answer; a user who has had enough leaves. */
  const onPiece = (count) => {
    if (order.leaveAfterPieces !== undefined && count >= order.leaveAfterPieces) leaving.abort();
  };
  let error = null;
  try {
    if (order.embeds) seen.vectors = await embedders[order.client](order);
    else await (order.runsTools ? loops : clients)[order.client](order, seen, { signal: leaving.signal, onPiece });
  } catch (thrown) {
    error = describeError(thrown);
  }
  console.log(JSON.stringify({ id: order.id, seen: { ...seen, error } }));
});

// The AI SDK wraps what it gave up on, LangChain keeps OpenAI's own fields.
function describeError(thrown) {
  const { lastError } = thrown;
  const error = lastError ?? thrown;
  return {
    name: error.constructor?.name ?? error.name,
    message: String(error.message),
    status: error.status ?? error.statusCode ?? null,
    // Anthropic's errors have a type, and no code.
    code: error.code ?? error.data?.error?.code ?? error.error?.error?.type ?? error.data?.error?.type ?? null,
  };
}
