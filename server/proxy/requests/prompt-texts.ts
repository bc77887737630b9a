import type { ChatMessage, ChatRequest } from '../../providers/chat-types.js';

export type PromptOfTexts = Pick<ChatRequest, 'messages' | 'tools' | 'response_format' | 'embedding'>;

/** What of a request is text that a tokenizer can count, all of it: everything but its images. */
export function listPromptTexts(request: PromptOfTexts): string[] {
  const inputs = request.embedding?.inputs;
  if (inputs) return inputs.kind === 'texts' ? [...inputs.texts] : [];
  const texts: string[] = [];
  for (const message of request.messages) {
    for (const text of listTexts(message)) if (text) texts.push(text);
    addJson(texts, message.reasoning_details);
    addJson(texts, message.extra_content);
    for (const call of message.tool_calls ?? []) addJson(texts, call.extra_content);
  }
  addJson(texts, request.tools);
  addJson(texts, request.response_format);
  return texts;
}

function addJson(texts: string[], value: unknown): void {
  if (value !== undefined) texts.push(JSON.stringify(value));
}

function listTexts({ content, name, refusal, reasoning_content, tool_call_id, tool_calls = [] }: ChatMessage) {
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(findPartText);
  const calls = tool_calls.flatMap((call) => [call.id, call.function.name, call.function.arguments]);
  return [...parts, name, refusal, reasoning_content, tool_call_id, ...calls];
}

function findPartText(part: Exclude<NonNullable<ChatMessage['content']>, string>[number]): string | null {
  if (part.type === 'text') return part.text;
  return part.type === 'refusal' ? part.refusal : null;
}
