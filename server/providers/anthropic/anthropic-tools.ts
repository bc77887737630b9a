import { AppError } from '../../kernel/app-error.js';
import { isJsonObject } from '../../kernel/json-body.js';
import type { ChatRequest, JsonObject, ResponseFormat } from '../chat-types.js';

import { findUnheldPlace, toStructuredSchema } from './anthropic-schema.js';
import type { AnthropicTool, AnthropicToolChoice } from './anthropic-types.js';
import type { ClaudeCapabilities } from './claude-models.js';

/** The tool by which a model gives JSON that structured output does not hold it to; its input is the answer, and no call. */
export const jsonAnswerTool = 'tollgate_json_answer';

export interface ToolFields {
  readonly tools?: AnthropicTool[];
  readonly tool_choice?: AnthropicToolChoice;
}

/** The JSON schema of an answer, and how the model is brought to follow it. */
export interface AnswerSchema {
  readonly schema: JsonObject;
  readonly description: string | undefined;
  /** Held to it by the format of the output; asked for it as the input of a tool; or asked in words. */
  readonly by: 'format' | 'tool' | 'words';
}

/**
 * Chooses how a wanted schema is followed; null when none is wanted.
 * @throws AppError `unsupported_value` where the schema is to be strict, and a model that can be held to one cannot be to this.
 */
export function chooseAnswerSchema(
  format: ResponseFormat | undefined,
  { hasStructuredOutput, canForceTools }: ClaudeCapabilities,
): AnswerSchema | null {
  if (format?.type !== 'json_schema' || format.json_schema.schema === undefined) return null;
  const { schema, description, strict } = format.json_schema;
  if (hasStructuredOutput) {
    const param = 'response_format.json_schema.schema';
    const unheld = findUnheldPlace(schema, param);
    if (unheld === null) return { schema, description, by: 'format' };
    if (strict === true) throw notHeld(param, unheld);
  }
  // The input of a tool is an object.
  const isOfObject = schema.type === 'object' || (schema.type === undefined && isJsonObject(schema.properties));
  return { schema, description, by: canForceTools && isOfObject ? 'tool' : 'words' };
}

function notHeld(param: string, unheld: string): AppError {
  const words = `Unsupported value: this model cannot be held to '${unheld.slice(0, 300)}'. Give each object its 'properties' and no others, and each array its 'items', or do not ask for 'strict'.`;
  return new AppError('unsupported_value', words, { param });
}

/**
 * Translates tools, the choice among them and a schema that is asked for by a tool.
 * @throws AppError `unsupported_value` where a tool must be called and the model cannot be made to, or a tool is to be strict whose
 *   schema the model cannot be held to.
 */
export function toToolFields(
  request: ChatRequest,
  capabilities: ClaudeCapabilities,
  answerSchema: AnswerSchema | null,
): ToolFields {
  const tools = (request.tools ?? []).map((tool, index) => ({
    ...toAnthropicTool(tool.function, capabilities, `tools[${index}].function.parameters`),
    ...(tool.cache_control ? { cache_control: tool.cache_control } : {}),
  }));
  if (tools.some(({ name }) => name === jsonAnswerTool)) {
    throw new AppError('unsupported_value', `The tool name '${jsonAnswerTool}' is taken here. Rename the tool.`, {
      param: 'tools',
    });
  }
  const isForced = request.tool_choice === 'required' || typeof request.tool_choice === 'object';
  if (answerSchema?.by === 'tool' && !isForced) return addJsonAnswerTool(request, tools, answerSchema);
  if (tools.length === 0) return {};
  if (isForced && !capabilities.canForceTools) {
    throw new AppError(
      'unsupported_value',
      "Unsupported value: 'tool_choice' cannot make this model call a tool. Use 'auto', or another model.",
      { param: 'tool_choice' },
    );
  }
  const choice = toToolChoice(request);
  return { tools, ...(choice === null ? {} : { tool_choice: choice }) };
}

function toAnthropicTool(
  definition: NonNullable<ChatRequest['tools']>[number]['function'],
  { hasStructuredOutput }: ClaudeCapabilities,
  param: string,
): AnthropicTool {
  const { name, description, parameters = {}, strict } = definition;
  const isStrict = strict === true && hasStructuredOutput;
  // A tool without parameters takes none.
  const schema = Object.keys(parameters).length === 0 ? { properties: {} } : parameters;
  const unheld = isStrict ? findUnheldPlace({ type: 'object', ...schema }, param) : null;
  if (unheld !== null) throw notHeld(param, unheld);
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: toInputSchema(isStrict ? toStructuredSchema({ type: 'object', ...schema }) : parameters),
    ...(isStrict ? { strict: true } : {}),
  };
}

// The whole schema goes out; only what must be there is added.
function toInputSchema(schema: JsonObject): AnthropicTool['input_schema'] {
  return { properties: {}, ...schema, type: 'object' };
}

function toToolChoice({
  tool_choice: choice,
  parallel_tool_calls: isParallel,
}: ChatRequest): AnthropicToolChoice | null {
  if (choice === 'none') return { type: 'none' };
  // The limit to one call has its place inside of the choice, so it needs one.
  const limit = isParallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === 'required') return { type: 'any', ...limit };
  if (typeof choice === 'object') return { type: 'tool', name: choice.function.name, ...limit };
  return choice === 'auto' || isParallel === false ? { type: 'auto', ...limit } : null;
}

function addJsonAnswerTool(
  request: ChatRequest,
  tools: AnthropicTool[],
  { schema, description }: AnswerSchema,
): ToolFields {
  const answer: AnthropicTool = {
    name: jsonAnswerTool,
    description: description ?? 'Gives the final answer.',
    input_schema: toInputSchema(schema),
  };
  const mayCallOthers = tools.length > 0 && request.tool_choice !== 'none';
  return {
    tools: mayCallOthers ? [...tools, answer] : [answer],
    tool_choice: {
      ...(mayCallOthers ? { type: 'any' } : { type: 'tool', name: jsonAnswerTool }),
      disable_parallel_tool_use: true,
    },
  };
}
