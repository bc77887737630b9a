import type { ImageTokensMax } from './price-list.js';

/** What a model can do besides text. */
export interface ModelCapabilities {
  /** Takes images. */
  readonly vision: boolean;
  readonly tools: boolean;
  /** Keeps to a JSON schema. */
  readonly jsonSchema: boolean;
  /** Thinks before it answers, and is told how hard by `reasoning_effort`. */
  readonly reasoning: boolean;
}

interface Family {
  /** Against the name in lower case, without what stands before its last slash. */
  readonly names: RegExp;
  readonly can: Omit<ModelCapabilities, 'vision'>;
}

interface Brand {
  readonly names: RegExp;
  /** Newest first: a name that none of them knows is taken for a model that came after them. */
  readonly families: readonly [Family, ...Family[]];
}

const everything = { tools: true, jsonSchema: true, reasoning: true };
const noReasoning = { tools: true, jsonSchema: true, reasoning: false };
const toolsOnly = { tools: true, jsonSchema: false, reasoning: false };
const thinkingWithTools = { tools: true, jsonSchema: false, reasoning: true };
const noTools = { tools: false, jsonSchema: true, reasoning: false };

const brands: readonly Brand[] = [
  { names: /^gpt-oss/, families: [{ names: /^gpt-oss/, can: everything }] },
  {
    names: /^(gpt-|chatgpt)/,
    families: [
      { names: /^gpt-5(?!.*-chat)/, can: everything },
      { names: /^gpt-(4o|4\.1|5)|^chatgpt/, can: noReasoning },
      { names: /^gpt-(4|3\.5)/, can: toolsOnly },
    ],
  },
  { names: /^o\d/, families: [{ names: /^o\d/, can: everything }] },
  {
    names: /^claude/,
    families: [
      { names: /^claude-(opus|sonnet|haiku|fable|mythos)-\d/, can: everything },
      { names: /^claude-3-7/, can: thinkingWithTools },
      { names: /^claude-3/, can: toolsOnly },
    ],
  },
  {
    names: /^gemini/,
    families: [
      { names: /^gemini-(2\.5|[3-9])/, can: everything },
      { names: /^gemini-[12]/, can: noReasoning },
    ],
  },
  {
    names: /^deepseek/,
    families: [
      { names: /^deepseek-(reasoner|r\d)/, can: thinkingWithTools },
      { names: /^deepseek-chat/, can: toolsOnly },
    ],
  },
  {
    names: /^(mistral|ministral|codestral|devstral|pixtral|magistral)/,
    families: [
      { names: /^(mistral|ministral|codestral|devstral|pixtral)/, can: noReasoning },
      { names: /^magistral/, can: everything },
    ],
  },
  {
    names: /^grok/,
    families: [
      { names: /^grok-(4|3-mini)/, can: everything },
      { names: /^grok-[23]/, can: noReasoning },
    ],
  },
  {
    names: /^(kimi|moonshot)/,
    families: [
      { names: /^kimi-k2-thinking/, can: thinkingWithTools },
      { names: /^(kimi-k2(?!\.\d)|moonshot)/, can: toolsOnly },
    ],
  },
  {
    names: /^sonar/,
    families: [
      { names: /^sonar.*(reasoning|research)/, can: { ...noTools, reasoning: true } },
      { names: /^sonar/, can: noTools },
    ],
  },
  { names: /^(llama|meta-llama)/, families: [{ names: /llama/, can: toolsOnly }] },
  { names: /^demo-/, families: [{ names: /^demo-/, can: noReasoning }] },
];

// A model of nobody we know: what most servers of open models can do.
const unknown = toolsOnly;

/**
 * What a model can do, by its provider's name of it. A name that is newer than this list inherits from the newest family of
 * its brand. Images are another matter: they are taken where a bound of their tokens is known.
 */
export function findCapabilities(upstreamModel: string, imageTokensMax: ImageTokensMax | null): ModelCapabilities {
  const name = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1).toLowerCase();
  const brand = brands.find(({ names }) => names.test(name));
  const family = brand?.families.find(({ names }) => names.test(name)) ?? brand?.families[0];
  return { vision: imageTokensMax !== null, ...(family?.can ?? unknown) };
}
