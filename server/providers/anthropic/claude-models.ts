import type { ReasoningEffort } from '../chat-types.js';

export type ClaudeEffort = Exclude<ReasoningEffort, 'none' | 'minimal'>;

/** What one family of Claude takes. Data of https://platform.claude.com/docs/en/models and its pages on what is new. */
export interface ClaudeCapabilities {
  readonly maxOutputTokens: number;
  /** Whether `temperature` and `top_p` may be sent; the families after 4.6 answer them with an error. */
  readonly takesSampling: boolean;
  /** How thinking is asked for: by effort (`adaptive`), by a budget of tokens, or not at all. */
  readonly thinking: 'adaptive' | 'budget' | 'none';
  /**
   * How thinking is turned off: by saying nothing, by one of two words where it is on by default and would eat the output cap,
   * or never, where both words are answered with an error and only a low effort remains.
   */
  readonly thinkingOff: 'unsaid' | 'disabled' | 'between_tools' | 'never';
  /** The levels of effort that are known; empty where effort is not. */
  readonly efforts: readonly ClaudeEffort[];
  /** Whether a tool may be forced; Opus 5.5, Sonnet 5.5 and Fable answer that with an error. */
  readonly canForceTools: boolean;
  /** Whether an answer, or the arguments of a tool, can be held to a JSON schema. */
  readonly hasStructuredOutput: boolean;
}

const allEfforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

const newest: ClaudeCapabilities = {
  maxOutputTokens: 128_000,
  takesSampling: false,
  thinking: 'adaptive',
  thinkingOff: 'never',
  efforts: allEfforts,
  canForceTools: false,
  hasStructuredOutput: true,
};
const family5: ClaudeCapabilities = { ...newest, thinkingOff: 'disabled', canForceTools: true };
const family47: ClaudeCapabilities = { ...family5, thinkingOff: 'unsaid' };
const family46: ClaudeCapabilities = { ...family47, takesSampling: true, efforts: ['low', 'medium', 'high', 'max'] };
const family45: ClaudeCapabilities = { ...family46, maxOutputTokens: 64_000, thinking: 'budget', efforts: [] };
const family4: ClaudeCapabilities = { ...family45, hasStructuredOutput: false };
const family3: ClaudeCapabilities = { ...family4, maxOutputTokens: 4_096, thinking: 'none' };

type Version = readonly [major: number, minor: number];

/** For each line its families, newest first, each with the version that it begins at. */
const lines: Readonly<Record<string, readonly (readonly [from: Version, capabilities: ClaudeCapabilities])[]>> = {
  fable: [[[0, 0], newest]],
  opus: [
    [[5, 5], newest],
    [[5, 0], family5],
    [[4, 7], family47],
    [[4, 6], family46],
    [[4, 5], family45],
    [[4, 0], { ...family4, maxOutputTokens: 32_000 }],
    [[0, 0], family3],
  ],
  sonnet: [
    [[5, 5], { ...newest, thinkingOff: 'between_tools' }],
    [[5, 0], family5],
    [[4, 6], family46],
    [[4, 5], family45],
    [[3, 7], family4],
    [[3, 5], { ...family3, maxOutputTokens: 8_192 }],
    [[0, 0], family3],
  ],
  haiku: [
    [[5, 0], family5],
    [[4, 0], family45],
    [[3, 5], { ...family3, maxOutputTokens: 8_192 }],
    [[0, 0], family3],
  ],
};

/**
 * What a model takes, by Anthropic's name of it, such as `claude-opus-4-8`, `claude-haiku-4-5-20251001` or
 * `claude-3-5-sonnet-latest`. A version that is newer than this table has what the newest of its line has, and a line that is
 * unknown has what the newest models have: they take the least, so that what is sent is taken by all.
 */
export function findClaudeCapabilities(upstreamModel: string): ClaudeCapabilities {
  const [, oldMajor, oldMinor, line = '', major, minor] =
    /^claude-(?:(\d)-(?:(\d)-)?)?([a-z]+)(?:-(\d{1,2})(?:-(\d{1,2}))?(?!\d))?/.exec(upstreamModel) ?? [];
  const families = Object.hasOwn(lines, line) ? lines[line] : undefined;
  const said = major ?? oldMajor;
  if (families === undefined || said === undefined) return families?.[0]?.[1] ?? newest;
  const version: Version = [Number(said), Number(minor ?? oldMinor ?? 0)];
  return families.find(([from]) => isAtLeast(version, from))?.[1] ?? newest;
}

function isAtLeast([major, minor]: Version, [fromMajor, fromMinor]: Version): boolean {
  return major > fromMajor || (major === fromMajor && minor >= fromMinor);
}
