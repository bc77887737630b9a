import { anthropicAdapter } from '../../providers/anthropic/anthropic-adapter.js';
import { canary, type ProviderContract, toEvent } from '../provider-contract-case.js';
import { streamedAnswer, textBlock } from './anthropic-answers.js';
import { anthropicCases } from './anthropic-cases.js';
import { ends, paris, question, tools } from './anthropic-exchange.js';

function failing(type: string): string[] {
  const event = {
    type: 'error',
    error: { type, message: `${canary.organisation} failed` },
    request_id: 'req_011CSHoEe',
  };
  return [...streamedAnswer([textBlock('It ', 'is')], ends).slice(0, 4), toEvent(event, 'error')];
}

function refusal(type: string, words: string): string {
  const message = `${words} (key ${canary.key}, ${canary.organisation}, https://${canary.host}/v1)`;
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' });
}

export const anthropicContract: ProviderContract = {
  id: 'anthropic',
  adapter: anthropicAdapter,
  upstreamModel: 'claude-opus-5',
  findPath: () => '/messages',
  findKeyHeader: (key) => ['x-api-key', key],
  streamFields: { stream: true },
  cases: anthropicCases,
  errorEvents: [
    { name: 'overload', stream: failing('overloaded_error'), code: 'provider_overloaded' },
    { name: 'our rate', stream: failing('rate_limit_error'), code: 'provider_rate_limited' },
    { name: 'its failure', stream: failing('api_error'), code: 'provider_error' },
    { name: 'a type that is new', stream: failing('tea_error'), code: 'provider_error' },
  ],
  errorStatuses: [
    {
      name: 'a fault of the request',
      status: 400,
      body: refusal('invalid_request_error', 'messages: text content blocks must be non-empty'),
      code: 'provider_rejected',
      quote: 'messages: text content blocks must be non-empty',
    },
    {
      name: 'our bill, as a fault of the request',
      status: 400,
      body: refusal('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
      code: 'provider_unavailable',
    },
    {
      name: 'our key',
      status: 401,
      body: refusal('authentication_error', 'invalid x-api-key'),
      code: 'provider_unavailable',
    },
    { name: 'our bill', status: 402, body: refusal('billing_error', 'Payment'), code: 'provider_unavailable' },
    { name: 'our rights', status: 403, body: refusal('permission_error', 'No'), code: 'provider_unavailable' },
    {
      name: 'its model',
      status: 404,
      body: refusal('not_found_error', 'model: claude-x'),
      code: 'provider_rejected',
      quote: 'model: claude-x',
    },
    { name: 'its conflict', status: 409, body: refusal('conflict_error', 'Again'), code: 'provider_error' },
    {
      name: 'too large',
      status: 413,
      body: refusal('request_too_large', 'Request exceeds'),
      code: 'provider_rejected',
    },
    { name: 'our rate', status: 429, body: refusal('rate_limit_error', 'Slow down'), code: 'provider_rate_limited' },
    { name: 'its failure', status: 500, body: refusal('api_error', 'Internal'), code: 'provider_error' },
    { name: 'its slowness', status: 504, body: refusal('timeout_error', 'Timed out'), code: 'provider_timeout' },
    { name: 'overload', status: 529, body: refusal('overloaded_error', 'Overloaded'), code: 'provider_overloaded' },
  ],
  untranslatable: [
    { name: 'several answers', request: { messages: question, n: 2 }, code: 'unsupported_value', param: 'n' },
    {
      name: 'logprobs',
      request: { messages: question, logprobs: true },
      code: 'unsupported_parameter',
      param: 'logprobs',
    },
    {
      name: 'a forced tool where the model takes none',
      upstreamModel: 'claude-opus-5-5',
      request: { messages: question, tools, tool_choice: 'required' },
      code: 'unsupported_value',
      param: 'tool_choice',
    },
    {
      name: 'a PDF in the place of an image',
      request: {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:application/pdf;base64,aGk=' } }],
          },
        ],
      },
      code: 'unsupported_value',
      param: 'messages[0].content[0].image_url.url',
    },
    {
      name: 'a call without a result',
      request: { messages: [...question, { role: 'assistant', tool_calls: [paris] }, ...question] },
      code: 'invalid_value',
      param: 'messages[1].tool_calls',
    },
    {
      name: 'a result without a call',
      request: { messages: [...question, { role: 'tool', tool_call_id: 'toolu_z', content: 'Sun' }] },
      code: 'invalid_value',
      param: 'messages[1].tool_call_id',
    },
  ],
};
