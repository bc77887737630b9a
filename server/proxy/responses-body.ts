import { AppError } from '../kernel/app-error.js';
import { isJsonObject, isSent, type JsonBody } from './json-body.js';

/**
 * Rewrites a body in the form of OpenAI's Responses into one of chat completions. Cursor sends such bodies to the chat
 * route when a model's name looks like one of the big providers'. Where a body has both forms of a field, the chat form
 * counts.
 * @throws AppError naming the item that chat completions have no word for.
 */
export function fromResponsesBody(received: JsonBody): JsonBody {
  if (!responsesFields.some((name) => isSent(received[name]))) return received;
  const { input, instructions, max_output_tokens, reasoning, text, ...rest } = received;
  const format = isJsonObject(text) ? toResponseFormat(text.format) : undefined;
  const fields = {
    ...rest,
    max_completion_tokens: rest.max_completion_tokens ?? (isSent(rest.max_tokens) ? undefined : max_output_tokens),
    reasoning_effort: rest.reasoning_effort ?? (isJsonObject(reasoning) ? reasoning.effort : undefined),
    verbosity: rest.verbosity ?? (isJsonObject(text) ? text.verbosity : undefined),
    response_format: rest.response_format ?? format,
  };
  return isSent(rest.messages) || !isSent(input) ? fields : { ...fields, messages: toMessages(input, instructions) };
}

const responsesFields = ['input', 'instructions', 'max_output_tokens', 'reasoning', 'text'];

function toMessages(input: unknown, instructions: unknown): JsonBody[] {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  if (!Array.isArray(items)) {
    throw new AppError('invalid_type', "Invalid 'input': must be a string or an array.", { param: 'input' });
  }
  const system = isSent(instructions) ? [{ role: 'system', content: instructions }] : [];
  return [...system, ...joinCalls(items.map(toMessage))];
}

// null: an item that says nothing to the model, such as the reasoning of an earlier answer.
function toMessage(item: unknown, index: number): JsonBody | null {
  if (!isJsonObject(item)) throw unknownItem(index);
  switch (item.type ?? 'message') {
    case 'message':
      return { role: item.role, content: toContent(item.content) };
    case 'function_call':
    case 'custom_tool_call': {
      const target = { name: item.name, arguments: item.arguments ?? JSON.stringify({ input: item.input }) };
      return { role: 'assistant', tool_calls: [{ id: item.call_id, type: 'function', function: target }] };
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', tool_call_id: item.call_id, content: toContent(item.output) };
    case 'reasoning':
      return null;
    default:
      throw unknownItem(index);
  }
}

// Calls that were made at once are items in a row there, and one message here.
function joinCalls(messages: readonly (JsonBody | null)[]): JsonBody[] {
  const joined: JsonBody[] = [];
  // The calls of the last message, which grow in their place: copied for each further one, thousands would take minutes.
  let calls: unknown[] | null = null;
  for (const message of messages) {
    if (message === null) continue;
    const last = joined.at(-1);
    if (!Array.isArray(message.tool_calls)) {
      joined.push(message);
      calls = null;
    } else if (calls !== null) calls.push(...message.tool_calls);
    else {
      calls = [...message.tool_calls];
      if (last?.role === 'assistant') joined[joined.length - 1] = { ...last, tool_calls: calls };
      else joined.push({ ...message, tool_calls: calls });
    }
  }
  return joined;
}

function toContent(content: unknown): unknown {
  return Array.isArray(content) ? content.map(toPart) : content;
}

function toPart(part: unknown): unknown {
  if (!isJsonObject(part)) return part;
  if (part.type === 'input_text' || part.type === 'output_text') return { type: 'text', text: part.text };
  if (part.type === 'input_image' && typeof part.image_url === 'string') {
    return { type: 'image_url', image_url: { url: part.image_url, detail: part.detail } };
  }
  return part;
}

function toResponseFormat(format: unknown): unknown {
  if (!isJsonObject(format) || format.type !== 'json_schema' || isJsonObject(format.json_schema)) return format;
  const { type, ...schema } = format;
  return { type, json_schema: schema };
}

function unknownItem(index: number): AppError {
  return new AppError(
    'unsupported_value',
    `Unsupported value: 'input[${index}]' is of a type that is not offered on this route. Send \`messages\`.`,
    { param: `input[${index}]` },
  );
}
