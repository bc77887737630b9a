import type { GeminiThinkingLevel } from './gemini-wire.js';

/** How a family thinks before it answers. What it thinks counts as output, inside of `maxOutputTokens`. */
export type GeminiThinking =
  | { readonly kind: 'none' }
  | { readonly kind: 'budget'; readonly tokensMin: number; readonly tokensMax: number; readonly canBeOff: boolean }
  /** Least first. Such a family always thinks. */
  | { readonly kind: 'level'; readonly levels: readonly [GeminiThinkingLevel, ...GeminiThinkingLevel[]] };

/** In what one family of Google's models differs from another. Data; the adapter has no model's name in it. */
export interface GeminiFamily {
  /** What tools and JSON answers are described in. `none`: the family takes neither. */
  readonly schemas: 'json_schema' | 'openapi' | 'none';
  readonly thinking: GeminiThinking;
  readonly takesSystemInstruction: boolean;
  /** Whether an answer in JSON may be asked for while tools are offered. */
  readonly takesToolsWithJson: boolean;
  /** Elsewhere answered with «Penalty is not enabled for this model». */
  readonly takesPenalties: boolean;
  readonly takesMediaResolution: boolean;
  /** Whether a tool call without the thought that led to it is refused. */
  readonly checksThoughtSignatures: boolean;
}

const newest: GeminiFamily = {
  schemas: 'json_schema',
  // https://ai.google.dev/gemini-api/docs/thinking: from 3.7 on there is no MINIMAL.
  thinking: { kind: 'level', levels: ['LOW', 'MEDIUM', 'HIGH'] },
  takesSystemInstruction: true,
  takesToolsWithJson: true,
  takesPenalties: false,
  takesMediaResolution: true,
  checksThoughtSignatures: true,
};

const gemini3Flash: GeminiFamily = {
  ...newest,
  thinking: { kind: 'level', levels: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] },
};

const gemini25: GeminiFamily = {
  ...newest,
  thinking: { kind: 'budget', tokensMin: 1, tokensMax: 24_576, canBeOff: true },
  takesToolsWithJson: false,
  checksThoughtSignatures: false,
};

const gemini20: GeminiFamily = {
  ...gemini25,
  schemas: 'openapi',
  thinking: { kind: 'none' },
  takesPenalties: true,
  takesMediaResolution: false,
};

const gemma: GeminiFamily = {
  ...gemini25,
  thinking: { kind: 'none' },
  takesSystemInstruction: false,
  takesMediaResolution: false,
};

// The first that fits counts.
const families: readonly (readonly [RegExp, GeminiFamily])[] = [
  [/^gemma-(\dn|[123])\b/, { ...gemma, schemas: 'none' }],
  [/^gemma-/, gemma],
  [/^gemini-(1\.\d|2\.0)\b/, gemini20],
  [
    /^gemini-2\.5-pro\b/,
    { ...gemini25, thinking: { kind: 'budget', tokensMin: 128, tokensMax: 32_768, canBeOff: false } },
  ],
  [
    /^gemini-2\.5-flash-lite\b/,
    { ...gemini25, thinking: { kind: 'budget', tokensMin: 512, tokensMax: 24_576, canBeOff: true } },
  ],
  [/^gemini-2\.5\b/, gemini25],
  [/^gemini-3-pro\b/, { ...newest, thinking: { kind: 'level', levels: ['LOW', 'HIGH'] } }],
  [/^gemini-3(\.[0-6])?-flash\b/, gemini3Flash],
];

/** The family of a model by Google's own name of it, also as its OpenAI-compatible endpoints have it. A name that is not known belongs to the newest. */
export function findGeminiFamily(upstreamModel: string): GeminiFamily {
  const name = upstreamModel.replace(/^(models|google)\//, '');
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? newest;
}
