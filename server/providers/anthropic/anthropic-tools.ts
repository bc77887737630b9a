import { AppError } from '../../kernel/app-error.js';
import type { ChatRequest, JsonObject, ResponseFormat } from '../chat-types.js';
import { toStructuredSchema } from './anthropic-schema.js';
import type { AnthropicTool, AnthropicToolChoice } from './anthropic-types.js';
import type { ClaudeCapabilities } from './claude-models.js';

/** The tool by which a model without structured output gives its JSON; its input is the answer, and no call. */
export const jsonAnswerTool = 'tollgate_json_answer';

export interface ToolFields {
  readonly tools?: AnthropicTool[];
  readonly tool_choice?: AnthropicToolChoice;
}

type JsonSchemaFormat = Extract<ResponseFormat, { type: 'json_schema' }>;

/**
 * Translates tools, the choice among them and, for models without structured output, a wanted JSON schema.
 * @throws AppError `unsupported_value` where a tool must be called and the model cannot be made to.
 */
export function toToolFields(request: ChatRequest, capabilities: ClaudeCapabilities): ToolFields {
  const tools = (request.tools ?? []).map((tool) => ({
    ...toAnthropicTool(tool.function, capabilities),
    ...(tool.cache_control ? { cache_control: tool.cache_control } : {}),
  }));
  if (tools.some(({ name }) => name === jsonAnswerTool)) {
    throw new AppError('unsupported_value', `The tool name '${jsonAnswerTool}' is taken here. Rename the tool.`, {
      param: 'tools',
    });
  }
  const wanted = findSchemaWithoutNativeMode(request.response_format, capabilities);
  const isForced = request.tool_choice === 'required' || typeof request.tool_choice === 'object';
  if (wanted !== null && !isForced) return addJsonAnswerTool(request, tools, wanted);
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
): AnthropicTool {
  const { name, description, parameters = {}, strict } = definition;
  const isStrict = strict === true && hasStructuredOutput;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: toInputSchema(isStrict ? toStructuredSchema({ type: 'object', ...parameters }) : parameters),
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

/** The schema that an answer must follow; null when none is wanted. */
export function findAnswerSchema(format: ResponseFormat | undefined): JsonObject | null {
  return format?.type === 'json_schema' ? (format.json_schema.schema ?? null) : null;
}

function findSchemaWithoutNativeMode(
  format: ResponseFormat | undefined,
  { hasStructuredOutput }: ClaudeCapabilities,
): JsonSchemaFormat | null {
  return format?.type === 'json_schema' && format.json_schema.schema && !hasStructuredOutput ? format : null;
}

function addJsonAnswerTool(
  request: ChatRequest,
  tools: AnthropicTool[],
  { json_schema: wanted }: JsonSchemaFormat,
): ToolFields {
  const answer: AnthropicTool = {
    name: jsonAnswerTool,
    description: wanted.description ?? 'Gives the final answer.',
    input_schema: toInputSchema(wanted.schema ?? {}),
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
