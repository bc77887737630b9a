import { anthropicAdapter } from './anthropic/anthropic-adapter.js';
import { geminiAdapter } from './gemini/gemini-adapter.js';
import { createOpenAiCompatibleAdapter } from './openai-compatible/openai-compatible-adapter.js';
import type { OpenAiDialect } from './openai-compatible/openai-dialect.js';
import type { ProviderAdapter } from './provider-adapter.js';

/** A provider that Tollgate knows. It is on as soon as the environment names its key. */
export interface CatalogueProvider {
  /** Our name of it, and in capitals the beginning of its settings: `openai` -> `OPENAI_API_KEY`, `OPENAI_BASE_URL`. */
  readonly id: string;
  readonly baseUrl: string;
  /** Whether it works without a key; then its `<NAME>_BASE_URL` alone turns it on. */
  readonly isKeyOptional: boolean;
  readonly adapter: ProviderAdapter;
}

/** What most providers do, and none of the exceptions below. */
const commonDialect: OpenAiDialect = {
  usageMode: 'include_usage',
  maxTokensField: 'max_tokens',
  isDeveloperRoleKnown: false,
  isObfuscationSent: false,
  droppedParams: ['verbosity'],
  renamedParams: {},
};

const openAiDialect: OpenAiDialect = {
  ...commonDialect,
  maxTokensField: 'by_model',
  isDeveloperRoleKnown: true,
  isObfuscationSent: true,
  droppedParams: [],
};

// Mistral refuses fields that it does not know, and reports usage in streams unasked.
const mistralDialect: OpenAiDialect = {
  ...commonDialect,
  usageMode: 'unasked',
  droppedParams: ['verbosity', 'reasoning_effort', 'logprobs', 'top_logprobs', 'logit_bias'],
  renamedParams: { seed: 'random_seed' },
};

// Cerebras answers 400 to each of these.
const cerebrasDialect: OpenAiDialect = {
  ...commonDialect,
  droppedParams: ['verbosity', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'parallel_tool_calls'],
};

function provider(id: string, baseUrl: string, dialect: OpenAiDialect = commonDialect): CatalogueProvider {
  return { id, baseUrl, isKeyOptional: false, adapter: createOpenAiCompatibleAdapter(dialect) };
}

/** One line for each provider; its models are in `pricing/price-list.ts`. */
export const providerCatalogue: readonly CatalogueProvider[] = [
  provider('openai', 'https://api.openai.com/v1', openAiDialect),
  { id: 'anthropic', baseUrl: 'https://api.anthropic.com', isKeyOptional: false, adapter: anthropicAdapter },
  {
    id: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    isKeyOptional: false,
    adapter: geminiAdapter,
  },
  provider('deepseek', 'https://api.deepseek.com'),
  provider('mistral', 'https://api.mistral.ai/v1', mistralDialect),
  provider('groq', 'https://api.groq.com/openai/v1'),
  provider('xai', 'https://api.x.ai/v1'),
  provider('openrouter', 'https://openrouter.ai/api/v1'),
  provider('together', 'https://api.together.xyz/v1'),
  provider('fireworks', 'https://api.fireworks.ai/inference/v1'),
  provider('cerebras', 'https://api.cerebras.ai/v1', cerebrasDialect),
  provider('moonshot', 'https://api.moonshot.ai/v1'),
  { ...provider('ollama', 'http://localhost:11434/v1'), isKeyOptional: true },
];
