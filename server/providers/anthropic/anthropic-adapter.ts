import type { ProviderAdapter } from '../provider-adapter.js';
import { parseAnthropicError } from './anthropic-error.js';
import { buildAnthropicRequest } from './anthropic-request.js';
import { parseAnthropicResponse } from './anthropic-response.js';
import { AnthropicStreamParser } from './anthropic-stream.js';
import { findClaudeCapabilities } from './claude-models.js';

/** Anthropic's Messages API: https://platform.claude.com/docs/en/api/messages. */
export const anthropicAdapter: ProviderAdapter = {
  buildRequest: buildAnthropicRequest,
  parseResponse: parseAnthropicResponse,
  parseStream: (context) => new AnthropicStreamParser(context),
  parseError: parseAnthropicError,
  mayReason({ reasoning_effort: effort }, { upstreamModel }) {
    const { thinking, thinkingOff } = findClaudeCapabilities(upstreamModel);
    const isUnasked = effort === undefined || effort === 'none';
    return thinking !== 'none' && !(isUnasked && thinkingOff === 'unsaid');
  },
};
