import type { ChatRequest, JsonObject, ReasoningEffort } from '../chat-types.js';
import { refuseManyStops } from '../refuse-many-stops.js';
import type { GeminiFamily, GeminiThinking } from './gemini-models.js';
import { createUntranslatableError } from './gemini-refusal.js';
import { toGeminiSchema } from './gemini-schema.js';
import type { GeminiGenerationConfig, GeminiThinkingConfig, GeminiThinkingLevel } from './gemini-wire.js';

/**
 * Translates how to answer. The output cap goes out as it was priced; thinking counts inside of it, so a small one may leave
 * no room for words. Penalties, which only tune an answer, stay out where the family answers them with an error, and
 * `verbosity` has no counterpart.
 * @throws AppError `unsupported_parameter` for what would change the answer and cannot be asked for.
 */
export function toGenerationConfig(request: ChatRequest, family: GeminiFamily): GeminiGenerationConfig {
  refuseUntranslatable(request);
  const stopSequences = (typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])).filter(Boolean);
  const penalties = {
    ...pick('frequencyPenalty', request.frequency_penalty),
    ...pick('presencePenalty', request.presence_penalty),
  };
  return {
    ...pick('maxOutputTokens', request.max_completion_tokens),
    ...pick('temperature', request.temperature),
    ...pick('topP', request.top_p),
    ...pick('topK', request.topK),
    ...(family.takesPenalties ? penalties : {}),
    // Google's seed has 32 bits; the same seed still gives the same.
    ...pick('seed', request.seed === undefined ? undefined : request.seed | 0),
    ...(stopSequences.length > 0 ? { stopSequences } : {}),
    ...toResponseFormat(request, family),
    ...pick('thinkingConfig', toThinkingConfig(request, family.thinking)),
    ...pick('mediaResolution', family.takesMediaResolution ? findMediaResolution(request) : undefined),
  };
}

// As many as Google takes.
const stopsMax = 5;

function refuseUntranslatable(request: ChatRequest): void {
  refuseManyStops(request, { providerId: 'google', stopsMax });
  if (request.n !== undefined && request.n > 1) {
    throw createUntranslatableError('n', "This provider gives one answer a call. Leave 'n' out, or call again.");
  }
  if (request.logprobs === true || (request.top_logprobs ?? 0) > 0) {
    const param = request.logprobs === true ? 'logprobs' : 'top_logprobs';
    throw createUntranslatableError(param, `This provider does not offer '${param}' here. Leave it out.`);
  }
  if (Object.keys(request.logit_bias ?? {}).length > 0) {
    throw createUntranslatableError('logit_bias', "This provider does not know 'logit_bias'. Leave it out.");
  }
}

function toResponseFormat(
  { response_format: format, tools }: ChatRequest,
  family: GeminiFamily,
): GeminiGenerationConfig {
  if (format === undefined || format.type === 'text') return {};
  if (family.schemas === 'none') {
    throw createUntranslatableError('response_format', 'This model answers in text only. Choose another model.');
  }
  if (tools?.length && !family.takesToolsWithJson) {
    throw createUntranslatableError(
      'response_format',
      "This model takes either 'tools' or a 'response_format' in JSON. Leave one out, or choose a newer model.",
    );
  }
  const json = { responseMimeType: 'application/json' } as const;
  if (format.type === 'json_object' || format.json_schema.schema === undefined) return json;
  const { schema, description } = format.json_schema;
  const described: JsonObject = description === undefined ? schema : { description, ...schema };
  if (family.schemas === 'json_schema') return { ...json, responseJsonSchema: described };
  return { ...json, responseSchema: toGeminiSchema(described, 'response_format.json_schema.schema') };
}

// Of the tokens that may be thought, or of the output cap where that is less, so that words still fit.
const percentOfBudget: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: 2,
  low: 10,
  medium: 30,
  high: 60,
  xhigh: 90,
  max: 90,
};

const levelsInOrder: readonly GeminiThinkingLevel[] = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];
const wantedLevel: Readonly<Record<ReasoningEffort, GeminiThinkingLevel>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
};

// A family that cannot be kept from thinking thinks as little as it can.
function toThinkingConfig(request: ChatRequest, thinking: GeminiThinking): GeminiThinkingConfig | undefined {
  const { reasoning_effort: effort, max_completion_tokens: outputCap } = request;
  if (effort === undefined) return undefined;
  const includeThoughts = effort !== 'none';
  switch (thinking.kind) {
    case 'none':
      if (effort === 'none') return undefined;
      throw createUntranslatableError(
        'reasoning_effort',
        "This model does not reason. Leave 'reasoning_effort' out, or choose a newer model.",
      );
    case 'budget': {
      const { tokensMin, tokensMax, canBeOff } = thinking;
      if (effort === 'none') return { includeThoughts, thinkingBudget: canBeOff ? 0 : tokensMin };
      const tokens = Math.floor((percentOfBudget[effort] * Math.min(tokensMax, outputCap ?? tokensMax)) / 100);
      return { includeThoughts, thinkingBudget: Math.max(tokensMin, tokens) };
    }
    case 'level': {
      const least = levelsInOrder.indexOf(wantedLevel[effort]);
      const fitting = thinking.levels.find((level) => levelsInOrder.indexOf(level) >= least);
      return { includeThoughts, thinkingLevel: fitting ?? thinking.levels[0] };
    }
  }
}

// One setting for the whole request, so it is made only where all images ask for the same.
function findMediaResolution({ messages }: ChatRequest): GeminiGenerationConfig['mediaResolution'] {
  const details = messages.flatMap(({ content }) =>
    typeof content === 'string' || !content
      ? []
      : content.flatMap((part) => (part.type === 'image_url' ? [part.image_url.detail ?? 'auto'] : [])),
  );
  const [first] = details;
  if (first === undefined || first === 'auto' || details.some((detail) => detail !== first)) return undefined;
  return first === 'low' ? 'MEDIA_RESOLUTION_LOW' : 'MEDIA_RESOLUTION_HIGH';
}

function pick<Name extends string, Value>(name: Name, value: Value | undefined): { [name in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [name in Name]?: Value };
}
