import type { ChatMessage, ChatRequest, ChatTool } from '../chat-types.js';
import { sampleOfSchema } from './sample-of-schema.js';

/** What the demo says, cut into the pieces that it counts as tokens. */
export interface DemoAnswer {
  readonly pieces: readonly string[];
  /** The tool to be called, with the pieces as its arguments; null for an answer in words. */
  readonly toolName: string | null;
}

const echoedCharactersMax = 1_000;

/** Makes the whole answer to a request, from nothing but the request. */
export function composeAnswer(request: ChatRequest): DemoAnswer {
  const lastText = findLastUserText(request.messages);
  const tool = findToolToCall(request, lastText);
  if (tool !== null) {
    const sample = sampleOfSchema(tool.function.parameters ?? {}, lastText);
    return { pieces: cutIntoPieces(JSON.stringify(sample)), toolName: tool.function.name };
  }
  return { pieces: cutIntoPieces(composeText(request, lastText)), toolName: null };
}

function composeText(request: ChatRequest, lastText: string): string {
  const format = request.response_format;
  if (format?.type === 'json_schema') return JSON.stringify(sampleOfSchema(format.json_schema.schema ?? {}, lastText));
  if (format?.type === 'json_object') return JSON.stringify({ isDemo: true, echo: lastText });
  const last = request.messages.at(-1);
  const toolNote = last?.role === 'tool' ? ` The tool answered: ${readText(last)}` : '';
  return (
    `This is Tollgate's demo provider: no AI model was asked, but the call was metered and billed like any other.` +
    `${toolNote} You said: ${lastText || '(nothing)'}`
  );
}

// A tool is called when the request demands one, or when the user's last words name one and it was not called already.
function findToolToCall({ tools = [], tool_choice: choice, messages }: ChatRequest, lastText: string): ChatTool | null {
  if (choice === 'none') return null;
  if (typeof choice === 'object') return tools.find((tool) => tool.function.name === choice.function.name) ?? null;
  const named = tools.find((tool) => lastText.includes(tool.function.name)) ?? null;
  if (choice === 'required') return named ?? tools[0] ?? null;
  return messages.at(-1)?.role === 'tool' ? null : named;
}

function findLastUserText(messages: readonly ChatMessage[]): string {
  const message = messages.findLast(({ role }) => role === 'user');
  return message ? readText(message) : '';
}

// The beginning is enough to be recognised; it must not end in half a character.
function readText({ content }: ChatMessage): string {
  const isText = typeof content === 'string';
  const text = isText ? content : (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join(' ');
  return text
    .trim()
    .slice(0, echoedCharactersMax)
    .replace(/[\uD800-\uDBFF]$/, '');
}

// A value that a schema prescribes may be of any length.
const answerCharactersMax = 256 * 1024;

// Words with the space before them, long ones in parts; joined again they are the text.
function cutIntoPieces(text: string): string[] {
  return text.slice(0, answerCharactersMax).match(/\s*\S{1,12}|\s+/gu) ?? [];
}
