import { AppError } from '../../kernel/app-error.js';
import { isJsonObject, isSent, type JsonBody, toText } from '../../kernel/json-body.js';
import type { CallerDialect } from '../../wires/chat/caller-dialect.js';

export interface NormalisedTools {
  readonly body: JsonBody;
  readonly dialect: CallerDialect;
}

/**
 * Brings every way of offering tools into one, function tools in OpenAI's present form: `functions` and `function_call` of
 * old, tools written flat as in Responses, custom tools (a function with one text, `input`), and a choice among allowed
 * tools (only those are offered). What the caller used is remembered, so that the answer speaks the same way.
 * @throws AppError naming the tool that is not offered here.
 */
export function normaliseTools(received: JsonBody): NormalisedTools {
  const messages = Array.isArray(received.messages) ? normaliseToolMessages(received.messages) : received.messages;
  if (!toolFields.some((name) => isSent(received[name]))) {
    return { body: { ...received, messages }, dialect: { usesFunctions: false, customTools: new Set() } };
  }
  const { functions, function_call: functionCall, ...rest } = received;
  const usesFunctions = isSent(functions) || isSent(functionCall);
  const customTools = new Set<string>();
  const tools = readTools(usesFunctions ? toFlatTools(functions) : rest.tools, customTools);
  const asked = usesFunctions ? fromFunctionCall(functionCall) : rest.tool_choice;
  // Mistral's word for it.
  const choice = asked === 'any' ? 'required' : asked;
  const body = { ...rest, messages, ...chooseTools(tools, choice) };
  return {
    // One call an answer is all that `function_call` can say.
    body: Array.isArray(body.tools)
      ? { ...body, parallel_tool_calls: usesFunctions ? false : rest.parallel_tool_calls }
      : { ...body, parallel_tool_calls: undefined },
    dialect: { usesFunctions, customTools },
  };
}

const toolFields = ['functions', 'function_call', 'tools', 'tool_choice', 'parallel_tool_calls'];

function toFlatTools(functions: unknown): unknown {
  return Array.isArray(functions)
    ? functions.map((tool: unknown) => (isJsonObject(tool) ? { ...tool, type: 'function' } : tool))
    : functions;
}

// What is no list is left for the check of the whole body to refuse.
function readTools(tools: unknown, customTools: Set<string>): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool: unknown, index) => {
    if (!isJsonObject(tool)) return tool;
    if (tool.type === 'function') return isSent(tool.function) ? tool : nest(tool);
    if (tool.type === 'custom') return fromCustomTool(isJsonObject(tool.custom) ? tool.custom : tool, customTools);
    throw new AppError(
      'unsupported_value',
      `Unsupported value: 'tools[${index}].type' must be 'function' or 'custom'. Tools that run at the provider are not offered here.`,
      { param: `tools[${index}].type` },
    );
  });
}

function nest({ type, ...definition }: JsonBody): JsonBody {
  return { type, function: definition };
}

function fromCustomTool({ name, description, format }: JsonBody, customTools: Set<string>): JsonBody {
  if (typeof name === 'string') customTools.add(name);
  const grammar = isJsonObject(format) && isJsonObject(format.grammar) ? format.grammar : format;
  const rule =
    isJsonObject(grammar) && typeof grammar.definition === 'string'
      ? `The input must follow this ${toText(grammar.syntax ?? 'lark')} grammar:\n${grammar.definition}`
      : '';
  const words = [description, rule].filter((text) => typeof text === 'string' && text !== '').join('\n\n');
  const parameters = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
  return { type: 'function', function: { name, ...(words ? { description: words } : {}), parameters } };
}

function fromFunctionCall(functionCall: unknown): unknown {
  return isJsonObject(functionCall) ? { type: 'function', function: { name: functionCall.name } } : functionCall;
}

// Providers refuse a choice where nothing is offered; `auto` and `none` mean nothing there.
function chooseTools(tools: unknown, choice: unknown): { tools: unknown; tool_choice: unknown } {
  const hasTools = isSent(tools) && !(Array.isArray(tools) && tools.length === 0);
  if (!hasTools) {
    return { tools: undefined, tool_choice: choice === 'auto' || choice === 'none' ? undefined : choice };
  }
  if (!isJsonObject(choice)) return { tools, tool_choice: choice };
  const allowed = isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  if (choice.type === 'allowed_tools' && Array.isArray(allowed.tools) && Array.isArray(tools)) {
    const names = new Set(allowed.tools.map(findToolName));
    const chosen = tools.filter((tool) => names.has(findToolName(tool)));
    if (chosen.length === 0 || names.size > new Set(chosen.map(findToolName)).size) throw notOffered();
    return { tools: chosen, tool_choice: allowed.mode };
  }
  if (choice.type === 'function' || choice.type === 'custom') {
    const name = findToolName(choice);
    const isUnknown = Array.isArray(tools) && !tools.some((tool) => findToolName(tool) === name);
    if (isUnknown && typeof name === 'string') throw notOffered();
    return { tools, tool_choice: { type: 'function', function: { name } } };
  }
  return { tools, tool_choice: choice };
}

// Without what was chosen another question would be asked, or one that each provider refuses in its own way.
function notOffered(): AppError {
  return new AppError(
    'invalid_value',
    "Invalid 'tool_choice': must choose among the tools of this request, by their names. Send the tool in 'tools', or choose another.",
    { param: 'tool_choice' },
  );
}

function findToolName(tool: unknown): unknown {
  if (!isJsonObject(tool)) return undefined;
  const definition = [tool.function, tool.custom].find(isJsonObject) ?? tool;
  return definition.name;
}

// `function_call` of an earlier turn, and the message of role `function` that answers it; and calls of custom tools.
function normaliseToolMessages(messages: readonly unknown[]): unknown[] {
  let lastId: string | null = null;
  return messages.map((message, index) => {
    if (!isJsonObject(message)) return message;
    if (isJsonObject(message.function_call)) {
      lastId = `call_function_${index}`;
      const { function_call: target, ...rest } = message;
      return { ...rest, tool_calls: [{ id: lastId, type: 'function', function: target }] };
    }
    if (message.role === 'function' && lastId !== null) {
      const { name, ...rest } = message;
      return { ...rest, role: 'tool', tool_call_id: lastId };
    }
    if (!Array.isArray(message.tool_calls)) return message;
    return { ...message, tool_calls: message.tool_calls.map(fromCustomCall) };
  });
}

function fromCustomCall(call: unknown): unknown {
  if (!isJsonObject(call) || call.type !== 'custom' || !isJsonObject(call.custom)) return call;
  const { name, input } = call.custom;
  return { id: call.id, type: 'function', function: { name, arguments: JSON.stringify({ input }) } };
}
