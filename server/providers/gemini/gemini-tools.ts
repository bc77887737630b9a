import type { ChatRequest, ChatTool, JsonObject } from '../chat-types.js';
import type { GeminiFamily } from './gemini-models.js';
import { createUntranslatableError } from './gemini-refusal.js';
import { type SchemaSpending, toGeminiSchema } from './gemini-schema.js';
import type { GeminiFunctionCallingConfig, GeminiFunctionDeclaration, GeminiRequestBody } from './gemini-wire.js';

/**
 * Translates tools and the choice among them. `parallel_tool_calls: false` has no counterpart: the model may still call
 * several tools at once.
 * @throws AppError `unsupported_parameter` for tools that the family does not take, or cannot be told of.
 */
export function toGeminiTools(
  request: ChatRequest,
  family: GeminiFamily,
): Pick<GeminiRequestBody, 'tools' | 'toolConfig'> {
  const { tools = [], tool_choice: choice } = request;
  if (tools.length === 0) {
    if (choice === undefined || choice === 'auto' || choice === 'none') return {};
    throw createUntranslatableError(
      'tool_choice',
      "'tool_choice' needs 'tools' to choose from. Send both, or neither.",
    );
  }
  if (family.schemas === 'none') {
    throw createUntranslatableError('tools', 'This model takes no tools. Leave them out, or choose another model.');
  }
  const spent: SchemaSpending = { nodes: 0 };
  const functionDeclarations = tools.map((tool, index) => toDeclaration(tool, index, { family, spent }));
  const config = toCallingConfig(request, family);
  return {
    tools: [{ functionDeclarations }],
    ...(config === null ? {} : { toolConfig: { functionCallingConfig: config } }),
  };
}

interface SchemaContext {
  readonly family: GeminiFamily;
  readonly spent: SchemaSpending;
}

function toDeclaration({ function: tool }: ChatTool, index: number, context: SchemaContext): GeminiFunctionDeclaration {
  const { name, description, parameters } = tool;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : toParameters(parameters, `tools[${index}].function.parameters`, context)),
  };
}

// Older models refuse an object without properties, and a function without parameters needs none.
function toParameters(
  parameters: JsonObject,
  param: string,
  { family, spent }: SchemaContext,
): Pick<GeminiFunctionDeclaration, 'parameters' | 'parametersJsonSchema'> {
  if (Object.keys(parameters).length === 0) return {};
  if (family.schemas === 'json_schema') return { parametersJsonSchema: { type: 'object', ...parameters } };
  const schema = toGeminiSchema({ type: 'object', ...parameters }, param, spent);
  return schema.properties === undefined && schema.anyOf === undefined ? {} : { parameters: schema };
}

// null: nothing to say, the model decides.
function toCallingConfig(
  { tools, tool_choice: choice }: ChatRequest,
  family: GeminiFamily,
): GeminiFunctionCallingConfig | null {
  const isStrict = family.schemas === 'json_schema' && tools?.some((tool) => tool.function.strict === true) === true;
  if (choice === undefined || choice === 'auto') {
    if (isStrict) return { mode: 'VALIDATED' };
    return choice === undefined ? null : { mode: 'AUTO' };
  }
  if (choice === 'none') return { mode: 'NONE' };
  if (choice === 'required') return { mode: 'ANY' };
  return { mode: 'ANY', allowedFunctionNames: [choice.function.name] };
}
