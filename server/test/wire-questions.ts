import type { ChatMessage, ChatRequest, ContentPart, JsonObject, ToolCall } from '../providers/chat-types.js';
import { sealReasoning } from '../wires/sealed-reasoning.js';

export type MatrixWire = 'chat' | 'responses' | 'messages';
export const matrixWires: readonly MatrixWire[] = ['chat', 'responses', 'messages'];

/** Where a wire is asked, behind the base address of the proxy. */
export const pathOf: Readonly<Record<MatrixWire, string>> = {
  chat: '/chat/completions',
  responses: '/responses',
  messages: '/messages',
};

/** The beginning of what ends a whole stream. */
export const endOf: Readonly<Record<MatrixWire, string>> = {
  chat: 'data: [DONE]',
  responses: 'event: response.completed',
  messages: 'event: message_stop',
};

export interface WireQuestion {
  readonly model: string;
  readonly stream: boolean;
}

/** Says a question of chat completions in the words of a wire, as its clients do. */
export function toWireBody(
  wire: MatrixWire,
  chat: Omit<ChatRequest, 'model' | 'stream'>,
  question: WireQuestion,
): object {
  if (wire === 'chat')
    return { ...chat, ...question, ...(question.stream ? { stream_options: { include_usage: true } } : {}) };
  return { ...(wire === 'responses' ? toResponses(chat) : toMessages(chat)), ...question };
}

type Question = Omit<ChatRequest, 'model' | 'stream'>;

function toResponses(chat: Question): JsonObject {
  const { tools, response_format: format, reasoning_effort: effort } = chat;
  const schema = format?.type === 'json_schema' ? { type: format.type, ...format.json_schema } : format;
  return {
    input: chat.messages.flatMap(toItems),
    max_output_tokens: chat.max_completion_tokens,
    temperature: chat.temperature,
    top_p: chat.top_p,
    tools: tools?.map(({ type, function: target }) => ({ type, ...target })),
    tool_choice: chat.tool_choice,
    parallel_tool_calls: chat.parallel_tool_calls,
    reasoning: { effort, summary: 'auto' },
    text: schema === undefined ? undefined : { format: schema },
    include: ['reasoning.encrypted_content'],
  } as JsonObject;
}

function toItems(message: ChatMessage): object[] {
  const { role, content, tool_calls: calls = [] } = message;
  if (role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.tool_call_id, output: toInput(content) }];
  }
  const sealed = sealOf(message);
  return [
    ...(sealed === null ? [] : [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: sealed }]),
    ...(isEmpty(content) ? [] : [{ role, content: toInput(content) }]),
    ...calls.map(({ id, function: { name, arguments: text } }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: text,
    })),
  ];
}

function toInput(content: ChatMessage['content']): unknown {
  if (!Array.isArray(content)) return content;
  return (content as readonly ContentPart[]).map((part) =>
    part.type === 'image_url'
      ? { type: 'input_image', image_url: part.image_url.url, detail: part.image_url.detail }
      : { ...part, type: 'input_text' },
  );
}

function toMessages(chat: Question): JsonObject {
  const { tools, response_format: format, reasoning_effort: effort } = chat;
  const schema = format?.type === 'json_schema' ? format.json_schema.schema : undefined;
  const isParallelOff = chat.parallel_tool_calls === false;
  const isChosen = chat.tool_choice === 'required';
  return {
    messages: toTurns(chat.messages),
    max_tokens: chat.max_completion_tokens ?? 1_000,
    temperature: chat.temperature,
    top_p: chat.top_p,
    stop_sequences: chat.stop,
    tools: tools?.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      input_schema: parameters ?? { type: 'object', properties: {} },
    })),
    ...(isChosen || isParallelOff
      ? {
          tool_choice: {
            type: isChosen ? 'any' : 'auto',
            ...(isParallelOff ? { disable_parallel_tool_use: true } : {}),
          },
        }
      : {}),
    output_config: {
      ...(effort === undefined ? {} : { effort }),
      ...(schema === undefined ? {} : { format: { type: 'json_schema', schema } }),
    },
  } as JsonObject;
}

// Results stand in one message of the user, with what the user says then.
function toTurns(messages: readonly ChatMessage[]): object[] {
  const turns: { role: string; content: object[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'tool' ? 'user' : message.role === 'developer' ? 'system' : message.role;
    const last = turns.at(-1);
    if (last?.role === role && role === 'user') last.content.push(...toBlocks(message));
    else turns.push({ role, content: toBlocks(message) });
  }
  return turns;
}

function toBlocks(message: ChatMessage): object[] {
  const { role, content, tool_calls: calls = [] } = message;
  const told = isEmpty(content) ? [] : toContentBlocks(content);
  if (role === 'tool') return [{ type: 'tool_result', tool_use_id: message.tool_call_id, content: told }];
  const sealed = sealOf(message);
  return [
    ...(sealed === null ? [] : [{ type: 'thinking', thinking: 'Let me think.', signature: sealed }]),
    ...told,
    ...calls.map(({ id, function: { name, arguments: text } }) => ({
      type: 'tool_use',
      id,
      name,
      input: JSON.parse(text || '{}') as unknown,
    })),
  ];
}

function toContentBlocks(content: ChatMessage['content']): object[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return ((content ?? []) as readonly ContentPart[]).map((part) => {
    if (part.type !== 'image_url') return part;
    const [, mediaType, data] = /^data:([^;]+);(?:[^,]*;)?base64,(.*)$/.exec(part.image_url.url) ?? [];
    const source = data ? { type: 'base64', media_type: mediaType, data } : { type: 'url', url: part.image_url.url };
    return { type: 'image', source };
  });
}

function isEmpty(content: ChatMessage['content']): boolean {
  return content === undefined || content === null || content === '';
}

// As both wires hand it out with an answer.
function sealOf({ reasoning_details: details = [], tool_calls: calls = [] }: ChatMessage): string | null {
  const signatures = calls.flatMap((call): [string, string][] => {
    const signature = (call as ToolCall).extra_content?.google?.thought_signature;
    return typeof signature === 'string' ? [[call.id, signature]] : [];
  });
  if (details.length === 0 && signatures.length === 0) return null;
  return sealReasoning(details as readonly JsonObject[], new Map(signatures));
}
