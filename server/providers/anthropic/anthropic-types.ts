import type { JsonObject } from '../chat-types.js';
import type { ClaudeEffort } from './claude-models.js';

/*
 * What we send to https://platform.claude.com/docs/en/api/messages, and nothing besides. A test holds these types against the
 * official client's.
 */

export interface CacheControl {
  type: 'ephemeral';
}

export interface TextBlock {
  type: 'text';
  text: string;
  cache_control?: CacheControl;
}

export type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export interface ImageBlock {
  type: 'image';
  source: { type: 'base64'; media_type: ImageMediaType; data: string } | { type: 'url'; url: string };
  cache_control?: CacheControl;
}

export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content?: (TextBlock | ImageBlock)[];
}

export type ThinkingBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string };

export interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: JsonObject;
}

export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;
export type AssistantBlock = ThinkingBlock | TextBlock | ToolUseBlock;

export type AnthropicMessage =
  | { role: 'user'; content: UserBlock[] }
  | { role: 'assistant'; content: AssistantBlock[] };

export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: 'object'; [keyword: string]: unknown };
  strict?: boolean;
  cache_control?: CacheControl;
}

export type AnthropicToolChoice =
  | { type: 'auto'; disable_parallel_tool_use?: boolean }
  | { type: 'any'; disable_parallel_tool_use?: boolean }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: boolean }
  | { type: 'none' };

export type AnthropicThinking =
  | { type: 'adaptive'; display: 'summarized' }
  | { type: 'enabled'; budget_tokens: number }
  | { type: 'disabled' }
  | { type: 'between_tools' };

export interface AnthropicOutputConfig {
  effort?: ClaudeEffort;
  format?: { type: 'json_schema'; schema: { [keyword: string]: unknown } };
}

export interface AnthropicRequest {
  model: string;
  max_tokens: number;
  messages: AnthropicMessage[];
  system?: TextBlock[];
  stop_sequences?: string[];
  temperature?: number;
  top_p?: number;
  top_k?: number;
  tools?: AnthropicTool[];
  tool_choice?: AnthropicToolChoice;
  thinking?: AnthropicThinking;
  output_config?: AnthropicOutputConfig;
  metadata?: { user_id: string };
  service_tier: 'standard_only';
  stream?: true;
}
