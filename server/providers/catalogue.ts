import { anthropicAdapter } from './anthropic/anthropic-adapter.js';
import { geminiAdapter } from './gemini/gemini-adapter.js';
import { createOpenAiCompatibleAdapter } from './openai-compatible/openai-compatible-adapter.js';
import { commonDialect, type OpenAiDialect } from './openai-compatible/openai-dialect.js';
import type { ProviderAdapter } from './provider-adapter.js';

/** A provider that Tollgate knows. It is on as soon as the environment names its key. */
export interface CatalogueProvider {
  /** Our name of it, and in capitals the beginning of its settings: `openai` -> `OPENAI_API_KEY`, `OPENAI_BASE_URL`. */
  readonly id: string;
  /** As people write it; left out, the id. */
  readonly name?: string;
  readonly baseUrl: string;
  /** Whether it works without a key; then its `<NAME>_BASE_URL` alone turns it on. */
  readonly isKeyOptional: boolean;
  /** Whether every customer has an address of their own; then the key alone does not turn it on. */
  readonly isAddressNeeded?: boolean;
  readonly adapter: ProviderAdapter;
  /** What its adapter was made of; absent for a native one. */
  readonly dialect?: OpenAiDialect;
}

const openAiDialect: OpenAiDialect = {
  ...commonDialect,
  maxTokensField: 'by_model',
  roles: {},
  isRefusalKnown: true,
  isObfuscationSent: true,
  droppedParams: [],
  embeddings: { inputsMax: 2_048, takesTokens: true, encoding: 'base64', dimensionsField: 'dimensions' },
};

// The model is the name of a deployment; name it like the model, or name it in `tollgate.yaml`.
const azureDialect: OpenAiDialect = {
  ...openAiDialect,
  keyHeader: 'api-key',
  keyScheme: '',
  isObfuscationSent: false,
};

// Mistral refuses fields that it does not know, and ids of tool calls that are not like its own, and reports usage in streams unasked.
const mistralDialect: OpenAiDialect = {
  ...commonDialect,
  usageMode: 'unasked',
  isAuthorNameKnown: false,
  callIds: 'nine_characters',
  droppedParams: ['verbosity', 'reasoning_effort', 'top_logprobs', 'logit_bias'],
  refusedParams: ['logprobs'],
  renamedParams: { seed: 'random_seed' },
  embeddings: { inputsMax: 256, takesTokens: false, encoding: 'float', dimensionsField: 'output_dimension' },
};

// Groq answers 400 to each of these.
const groqDialect: OpenAiDialect = {
  ...commonDialect,
  isAuthorNameKnown: false,
  droppedParams: ['verbosity', 'logit_bias', 'top_logprobs'],
  refusedParams: ['logprobs', 'n'],
};

// Its reasoning models answer 400 to penalties and stop words, and only the small one is told how hard to think.
// "Reasoning token consumption will be counted separately from completion_tokens, but will be counted in the total_tokens":
// https://docs.x.ai/docs/key-information/consumption-and-rate-limits
const xaiDialect: OpenAiDialect = {
  ...commonDialect,
  reasoningTokens: 'beside_completion',
  modelQuirks: [
    { models: /^grok-(4|3-mini)/, droppedParams: ['frequency_penalty', 'presence_penalty', 'stop'] },
    { models: /^grok-4/, droppedParams: ['reasoning_effort'] },
  ],
};

// Cerebras answers 400 to each of these.
const cerebrasDialect: OpenAiDialect = {
  ...commonDialect,
  droppedParams: ['verbosity', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'parallel_tool_calls'],
};

// Answers from a search of the web: no tools, one choice. Usage comes in every chunk, unasked.
const perplexityDialect: OpenAiDialect = {
  ...commonDialect,
  usageMode: 'unasked',
  isAuthorNameKnown: false,
  droppedParams: ['verbosity', 'seed', 'logit_bias', 'top_logprobs', 'tool_choice', 'parallel_tool_calls'],
  refusedParams: ['tools', 'n', 'logprobs'],
};

// https://docs.vllm.ai/en/latest/features/interleaved_thinking/
const vllmDialect: OpenAiDialect = { ...commonDialect, usageMode: 'continuous', reasoningField: 'reasoning' };

// https://docs.fireworks.ai/guides/reasoning: models that want none ignore it.
const fireworksDialect: OpenAiDialect = { ...commonDialect, reasoningField: 'reasoning_content' };

// Their thinking models answer 400 to a tool call of an earlier turn without the thinking that led to it. Moonshot takes a blank for
// thinking, and '' for none. https://api-docs.deepseek.com/guides/thinking_mode,
// https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
const thinkingDialect: OpenAiDialect = { ...fireworksDialect, isReasoningNeeded: true };

function provider(
  id: string,
  name: string,
  baseUrl: string,
  dialect: OpenAiDialect = commonDialect,
): CatalogueProvider & { readonly dialect: OpenAiDialect } {
  return { id, name, baseUrl, isKeyOptional: false, adapter: createOpenAiCompatibleAdapter(dialect), dialect };
}

/** One line for each provider; its models are in `pricing/price-list.ts`. */
export const providerCatalogue: readonly CatalogueProvider[] = [
  provider('openai', 'OpenAI', 'https://api.openai.com/v1', openAiDialect),
  {
    id: 'anthropic',
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com',
    isKeyOptional: false,
    adapter: anthropicAdapter,
  },
  {
    id: 'gemini',
    name: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    isKeyOptional: false,
    adapter: geminiAdapter,
  },
  {
    ...provider('azure', 'Azure OpenAI', 'https://YOUR-RESOURCE.openai.azure.com/openai/v1', azureDialect),
    isAddressNeeded: true,
  },
  provider('deepseek', 'DeepSeek', 'https://api.deepseek.com', thinkingDialect),
  provider('mistral', 'Mistral', 'https://api.mistral.ai/v1', mistralDialect),
  provider('groq', 'Groq', 'https://api.groq.com/openai/v1', groqDialect),
  provider('xai', 'xAI', 'https://api.x.ai/v1', xaiDialect),
  provider('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1'),
  provider('together', 'Together AI', 'https://api.together.xyz/v1'),
  provider('fireworks', 'Fireworks AI', 'https://api.fireworks.ai/inference/v1', fireworksDialect),
  provider('cerebras', 'Cerebras', 'https://api.cerebras.ai/v1', cerebrasDialect),
  provider('moonshot', 'Moonshot AI', 'https://api.moonshot.ai/v1', thinkingDialect),
  provider('perplexity', 'Perplexity', 'https://api.perplexity.ai', perplexityDialect),
  provider('deepinfra', 'DeepInfra', 'https://api.deepinfra.com/v1/openai'),
  provider('baseten', 'Baseten', 'https://inference.baseten.co/v1'),
  { ...provider('ollama', 'Ollama', 'http://localhost:11434/v1'), isKeyOptional: true },
  { ...provider('vllm', 'vLLM', 'http://localhost:8000/v1', vllmDialect), isKeyOptional: true },
];
