import { type Millicredits, toMillicredits } from '../kernel/millicredits.js';
import type { ModelCapabilities } from './model-capabilities.js';

/** Tier -> millicredits for one token, of the prompt or of the answer. The two tiers of the specification. */
export const tiers = { lower: toMillicredits(1), higher: toMillicredits(2) } as const;

type BuiltInTier = keyof typeof tiers;

/** The most prompt tokens that one image can count, by the detail that the caller asks for (`auto` may mean `high`). */
export interface ImageTokensMax {
  readonly low: number;
  readonly high: number;
}

/** One line of the price list. There is no model without a tier, so none can be free by mistake. */
export interface PricedModel {
  readonly id: string;
  /** `lower`, `higher`, or a tier of the operator's own. */
  readonly tier: string;
  readonly millicreditsPerToken: Millicredits;
  /** Prompt and answer together; of several routes the smallest. */
  readonly contextTokens: number;
  /**
   * For one choice; of several routes the smallest. Where a provider publishes none, a bound of our own; never more than
   * half of the context, because it is asked for when the caller sets no cap and must leave room for the prompt.
   */
  readonly maxOutputTokens: number;
  /** null: not sold with images. */
  readonly imageTokensMax: ImageTokensMax | null;
  /** The most that the provider itself puts before a prompt with tools or a JSON schema, and counts as prompt. */
  readonly hiddenPromptTokensMax: number;
  /** Where it is answered, best first: a provider's id, a slash, the provider's own name of the model. */
  readonly routes: readonly Route[];
  /** Absent for a model that writes; for one that makes vectors of texts. It has no output, and `contextTokens` are those of one text. */
  readonly embedding?: EmbeddingLimits;
  /** What an operator knows better than `model-capabilities.ts`. */
  readonly capabilities?: Partial<ModelCapabilities>;
  /** Where a route's limits are not the model's. */
  readonly routeLimits?: Readonly<Record<Route, RouteLimits>>;
}

/** What a model makes vectors of. */
export interface EmbeddingLimits {
  /** The most numbers of one vector. */
  readonly dimensionsMax: number;
}

export type Route = `${string}/${string}`;

/** What one route has of its own; what is absent is the model's. */
export interface RouteLimits {
  readonly maxOutputTokens?: number;
  readonly imageTokensMax?: ImageTokensMax;
}

// OpenAI's guide "Images and vision", chapter on costs. Tiles: a side of at most 2,048 and then a shorter one of 768
// pixels make at most 8 tiles of 512; the dearest of these models takes 85 + 8 × 170, times 1.2 for gpt-5.2.
const imagesByTile: ImageTokensMax = { low: 110, high: 1_760 };
// The same tiles, but 2,833 + 8 × 5,667; a measured call agrees with both factors.
const imagesOfGpt4oMini: ImageTokensMax = { low: 2_850, high: 48_200 };
// At most 1,536 patches whatever the detail, times 1.62 (mini), 1.72 (o4-mini) or 2.46 (nano).
const imagesByPatch: ImageTokensMax = { low: 3_820, high: 3_820 };

// Anthropic's guide "Vision", chapter on costs: patches of 28 by 28 pixels, of which an image has at most 4,784 from the families
// 4.7 on and 1,568 before (its older rule, width times height by 750, gave about 1,600); the detail does not matter. A few more
// frame each image.
const imagesOfClaude: ImageTokensMax = { low: 5_000, high: 5_000 };
const imagesOfOlderClaude: ImageTokensMax = { low: 1_700, high: 1_700 };
// Google's guide "Understand and count tokens": tiles of 258; the short side makes two of them and the long side as many as
// it is longer, so 48 is an image of 16 to 1. What "Media resolution" says of 2.5 (256, and about 2,048 on top) is less.
const imagesOfGemini25: ImageTokensMax = { low: 12_384, high: 12_384 };
// Its guide "Media resolution": 1,120 unasked for; 2,240 is the most that can be asked for.
const imagesOfGemini3: ImageTokensMax = { low: 2_240, high: 2_240 };

interface Limits {
  readonly context: number;
  readonly output: number;
  readonly images?: ImageTokensMax;
  readonly hiddenPrompt?: number;
}

function priced(tier: BuiltInTier, id: string, limits: Limits, ...routes: [Route, ...Route[]]): PricedModel {
  return {
    id,
    tier,
    millicreditsPerToken: tiers[tier],
    contextTokens: limits.context,
    maxOutputTokens: limits.output,
    imageTokensMax: limits.images ?? null,
    hiddenPromptTokensMax: limits.hiddenPrompt ?? 0,
    routes,
  };
}

/** Models that OpenAI alone answers, by the name that is theirs and ours: what a caller pinned stays what it is. */
function ofOpenAi(tier: BuiltInTier, limits: Limits, ...ids: string[]): PricedModel[] {
  return ids.map((id) => priced(tier, id, limits, `openai/${id}`));
}

function embedding(
  tier: BuiltInTier,
  id: string,
  { context, dimensions }: { context: number; dimensions: number },
  ...routes: [Route, ...Route[]]
): PricedModel {
  return {
    ...priced(tier, id, { context, output: 0 }, ...routes),
    embedding: { dimensionsMax: dimensions },
    capabilities: { tools: false, jsonSchema: false, reasoning: false },
  };
}

const gpt4oLimits = { context: 128_000, output: 16_384, images: imagesByTile };
const gpt4oMiniLimits = { ...gpt4oLimits, images: imagesOfGpt4oMini };
// Its first snapshots wrote no more.
const gpt4TurboLimits = { ...gpt4oLimits, output: 4_096 };
const gpt35Limits = { context: 16_385, output: 4_096 };
const thinkingLimits = { context: 200_000, output: 100_000 };
const demoLimits = { context: 32_768, output: 4_096, images: imagesByTile };
const gpt41Limits = { context: 1_047_576, output: 32_768 };
const gpt5Limits = { context: 400_000, output: 128_000 };
// Anthropic's guide "Tool use", chapter on prices: tools bring instructions of some hundred tokens, and so does a schema.
const claudeLimits = { context: 1_000_000, output: 128_000, images: imagesOfClaude, hiddenPrompt: 1_024 };
const claude45Limits = { context: 200_000, output: 64_000, images: imagesOfOlderClaude, hiddenPrompt: 1_024 };
const claude46Limits = { ...claude45Limits, output: 100_000 };
const gemini25Limits = { context: 1_048_576, output: 65_536, images: imagesOfGemini25 };
const gemini3Limits = { context: 1_048_576, output: 65_536, images: imagesOfGemini3 };
// Twice as much in a stream; a plain answer ends here.
const gemini4Limits = { context: 1_048_576, output: 32_768, images: imagesOfGemini3 };
const openModelLimits = { context: 131_072, output: 32_768 };

/** The built-in models, in the order in which they are listed to callers. Prices are ours, limits the providers' own. */
export const priceList: readonly PricedModel[] = [
  priced('lower', 'demo-small', demoLimits, 'demo/demo-small'),
  priced('higher', 'demo-large', demoLimits, 'demo/demo-large'),

  priced('lower', 'gpt-4o-mini', gpt4oMiniLimits, 'openai/gpt-4o-mini', 'openrouter/openai/gpt-4o-mini'),
  ...ofOpenAi('lower', gpt4oMiniLimits, 'gpt-4o-mini-2024-07-18'),
  ...ofOpenAi('lower', gpt35Limits, 'gpt-3.5-turbo', 'gpt-3.5-turbo-0125', 'gpt-3.5-turbo-1106'),
  ...ofOpenAi('lower', { ...gpt41Limits, images: imagesByPatch }, 'gpt-4.1-mini', 'gpt-4.1-mini-2025-04-14'),
  ...ofOpenAi('lower', { ...gpt41Limits, images: imagesByPatch }, 'gpt-4.1-nano', 'gpt-4.1-nano-2025-04-14'),
  ...ofOpenAi('lower', { ...gpt5Limits, images: imagesByPatch }, 'gpt-5-mini', 'gpt-5-mini-2025-08-07'),
  ...ofOpenAi('lower', { ...gpt5Limits, images: imagesByPatch }, 'gpt-5-nano', 'gpt-5-nano-2025-08-07'),
  priced('higher', 'gpt-4o', gpt4oLimits, 'openai/gpt-4o', 'openrouter/openai/gpt-4o'),
  ...ofOpenAi(
    'higher',
    gpt4oLimits,
    'gpt-4o-2024-11-20',
    'gpt-4o-2024-08-06',
    'chatgpt-4o-latest',
    'gpt-5-chat-latest',
  ),
  ...ofOpenAi('higher', gpt4TurboLimits, 'gpt-4o-2024-05-13', 'gpt-4-turbo', 'gpt-4-turbo-2024-04-09'),
  ...ofOpenAi('higher', { context: 8_192, output: 4_096 }, 'gpt-4', 'gpt-4-0613'),
  ...ofOpenAi('higher', { ...gpt41Limits, images: imagesByTile }, 'gpt-4.1', 'gpt-4.1-2025-04-14'),
  ...ofOpenAi('higher', { ...gpt5Limits, images: imagesByTile }, 'gpt-5', 'gpt-5-2025-08-07'),
  ...ofOpenAi('higher', { ...gpt5Limits, images: imagesByTile }, 'gpt-5.1', 'gpt-5.1-2025-11-13'),
  ...ofOpenAi('higher', { ...gpt5Limits, images: imagesByTile }, 'gpt-5.2', 'gpt-5.2-2025-12-11'),
  ...ofOpenAi('higher', { ...thinkingLimits, images: imagesByTile }, 'o3', 'o3-2025-04-16', 'o1', 'o1-2024-12-17'),
  ...ofOpenAi('higher', { ...thinkingLimits, images: imagesByPatch }, 'o4-mini', 'o4-mini-2025-04-16'),
  ...ofOpenAi('higher', thinkingLimits, 'o3-mini', 'o3-mini-2025-01-31'),

  priced('lower', 'claude-haiku-5-5', claudeLimits, 'anthropic/claude-haiku-5-5'),
  priced('lower', 'claude-haiku-4-5', claude45Limits, 'anthropic/claude-haiku-4-5'),
  priced('lower', 'claude-haiku-4-5-20251001', claude45Limits, 'anthropic/claude-haiku-4-5-20251001'),
  priced('higher', 'claude-sonnet-5-5', claudeLimits, 'anthropic/claude-sonnet-5-5'),
  priced('higher', 'claude-sonnet-5', claudeLimits, 'anthropic/claude-sonnet-5'),
  priced('higher', 'claude-sonnet-4-6', claude46Limits, 'anthropic/claude-sonnet-4-6'),
  priced('higher', 'claude-sonnet-4-5', claude45Limits, 'anthropic/claude-sonnet-4-5'),
  priced('higher', 'claude-sonnet-4-5-20250929', claude45Limits, 'anthropic/claude-sonnet-4-5-20250929'),
  priced('higher', 'claude-opus-5-5', claudeLimits, 'anthropic/claude-opus-5-5'),
  priced('higher', 'claude-opus-5', claudeLimits, 'anthropic/claude-opus-5'),
  priced('higher', 'claude-opus-4-8', claudeLimits, 'anthropic/claude-opus-4-8'),
  priced('higher', 'claude-opus-4-7', claudeLimits, 'anthropic/claude-opus-4-7'),
  priced('higher', 'claude-opus-4-6', claude46Limits, 'anthropic/claude-opus-4-6'),
  priced('higher', 'claude-opus-4-5', claude45Limits, 'anthropic/claude-opus-4-5'),
  priced('higher', 'claude-opus-4-5-20251101', claude45Limits, 'anthropic/claude-opus-4-5-20251101'),
  priced('higher', 'claude-fable-5-2', claudeLimits, 'anthropic/claude-fable-5-2'),
  priced('higher', 'claude-fable-5-1', claudeLimits, 'anthropic/claude-fable-5-1'),
  priced('higher', 'claude-fable-5', claudeLimits, 'anthropic/claude-fable-5'),

  priced('lower', 'gemini-2.5-flash', gemini25Limits, 'gemini/gemini-2.5-flash'),
  priced('lower', 'gemini-2.5-flash-lite', gemini25Limits, 'gemini/gemini-2.5-flash-lite'),
  priced('lower', 'gemini-3-flash', gemini3Limits, 'gemini/gemini-3-flash-preview'),
  priced('lower', 'gemini-3.1-flash-lite', gemini3Limits, 'gemini/gemini-3.1-flash-lite'),
  priced('lower', 'gemini-3.5-flash', gemini3Limits, 'gemini/gemini-3.5-flash'),
  priced('lower', 'gemini-3.5-flash-lite', gemini3Limits, 'gemini/gemini-3.5-flash-lite'),
  priced('lower', 'gemini-3.8-flash', gemini3Limits, 'gemini/gemini-3.8-flash'),
  priced('higher', 'gemini-2.5-pro', gemini25Limits, 'gemini/gemini-2.5-pro'),
  priced('higher', 'gemini-3.1-pro', gemini3Limits, 'gemini/gemini-3.1-pro-preview'),
  priced('higher', 'gemini-4-argon', gemini4Limits, 'gemini/gemini-4-argon'),

  priced('lower', 'deepseek-chat', { context: 128_000, output: 8_192 }, 'deepseek/deepseek-chat'),
  priced('lower', 'deepseek-reasoner', { context: 128_000, output: 64_000 }, 'deepseek/deepseek-reasoner'),

  priced('lower', 'mistral-small', { context: 128_000, output: 32_768 }, 'mistral/mistral-small-latest'),
  priced('lower', 'ministral-8b', { context: 128_000, output: 32_768 }, 'mistral/ministral-8b-latest'),
  priced('lower', 'codestral', { context: 128_000, output: 32_768 }, 'mistral/codestral-latest'),
  priced('higher', 'mistral-medium', { context: 128_000, output: 32_768 }, 'mistral/mistral-medium-latest'),
  priced('higher', 'mistral-large', { context: 128_000, output: 32_768 }, 'mistral/mistral-large-latest'),

  priced('lower', 'grok-3-mini', openModelLimits, 'xai/grok-3-mini'),
  priced('higher', 'grok-3', openModelLimits, 'xai/grok-3'),
  priced('higher', 'grok-4', { context: 256_000, output: 65_536 }, 'xai/grok-4'),

  priced(
    'lower',
    'kimi-k2',
    { context: 262_144, output: 32_768 },
    'moonshot/kimi-k2-0905-preview',
    'baseten/moonshotai/Kimi-K2-Instruct-0905',
  ),
  priced('lower', 'moonshot-v1-8k', { context: 8_192, output: 4_096 }, 'moonshot/moonshot-v1-8k'),

  priced('lower', 'sonar', { context: 128_000, output: 8_192 }, 'perplexity/sonar'),
  priced('higher', 'sonar-pro', { context: 200_000, output: 8_192 }, 'perplexity/sonar-pro'),

  priced(
    'lower',
    'llama-3.3-70b',
    openModelLimits,
    'groq/llama-3.3-70b-versatile',
    'cerebras/llama-3.3-70b',
    'together/meta-llama/Llama-3.3-70B-Instruct-Turbo',
    'fireworks/accounts/fireworks/models/llama-v3p3-70b-instruct',
    'deepinfra/meta-llama/Llama-3.3-70B-Instruct',
    'openrouter/meta-llama/llama-3.3-70b-instruct',
    'ollama/llama3.3',
  ),
  priced(
    'lower',
    'llama-3.1-8b',
    openModelLimits,
    'groq/llama-3.1-8b-instant',
    'cerebras/llama3.1-8b',
    'together/meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo',
    'fireworks/accounts/fireworks/models/llama-v3p1-8b-instruct',
    'openrouter/meta-llama/llama-3.1-8b-instruct',
    'ollama/llama3.1',
  ),
  priced(
    'lower',
    'gpt-oss-120b',
    openModelLimits,
    'groq/openai/gpt-oss-120b',
    'cerebras/gpt-oss-120b',
    'together/openai/gpt-oss-120b',
    'fireworks/accounts/fireworks/models/gpt-oss-120b',
    'deepinfra/openai/gpt-oss-120b',
    'baseten/openai/gpt-oss-120b',
    'openrouter/openai/gpt-oss-120b',
    'ollama/gpt-oss:120b',
  ),
  priced('lower', 'gpt-oss-20b', openModelLimits, 'groq/openai/gpt-oss-20b', 'ollama/gpt-oss:20b'),
  priced('lower', 'llama-3.2-3b', openModelLimits, 'ollama/llama3.2'),

  embedding('lower', 'text-embedding-3-small', { context: 8_191, dimensions: 1_536 }, 'openai/text-embedding-3-small'),
  embedding('higher', 'text-embedding-3-large', { context: 8_191, dimensions: 3_072 }, 'openai/text-embedding-3-large'),
  embedding('lower', 'text-embedding-ada-002', { context: 8_191, dimensions: 1_536 }, 'openai/text-embedding-ada-002'),
  embedding('lower', 'gemini-embedding-001', { context: 2_048, dimensions: 3_072 }, 'gemini/gemini-embedding-001'),
  embedding('lower', 'mistral-embed', { context: 8_192, dimensions: 1_024 }, 'mistral/mistral-embed'),
  embedding('lower', 'codestral-embed', { context: 8_192, dimensions: 3_072 }, 'mistral/codestral-embed'),
  embedding('lower', 'bge-m3', { context: 8_192, dimensions: 1_024 }, 'deepinfra/BAAI/bge-m3', 'ollama/bge-m3'),
  embedding(
    'lower',
    'nomic-embed-text',
    { context: 2_048, dimensions: 768 },
    'fireworks/nomic-ai/nomic-embed-text-v1.5',
    'ollama/nomic-embed-text',
  ),
];
