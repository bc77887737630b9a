import type { ChatMessage, ChatRequest } from '../providers/chat-types.js';
import { TextSample } from './text-sample.js';

const sampledCharactersMax = 256 * 1024;

/** What of a request is text that a tokenizer can count: everything but its images. */
export function samplePrompt(request: Pick<ChatRequest, 'messages' | 'tools' | 'response_format'>): TextSample {
  const sample = new TextSample(sampledCharactersMax);
  for (const message of request.messages) {
    for (const text of listTexts(message)) if (text) sample.add(text);
    addJson(sample, message.reasoning_details);
    for (const call of message.tool_calls ?? []) addJson(sample, call.extra_content);
  }
  addJson(sample, request.tools);
  addJson(sample, request.response_format);
  return sample;
}

function addJson(sample: TextSample, value: unknown): void {
  if (value !== undefined) sample.add(JSON.stringify(value));
}

function listTexts({ content, name, refusal, tool_call_id, tool_calls = [] }: ChatMessage) {
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(findPartText);
  const calls = tool_calls.flatMap((call) => [call.id, call.function.name, call.function.arguments]);
  return [...parts, name, refusal, tool_call_id, ...calls];
}

function findPartText(part: Exclude<NonNullable<ChatMessage['content']>, string>[number]): string | null {
  if (part.type === 'text') return part.text;
  return part.type === 'refusal' ? part.refusal : null;
}
