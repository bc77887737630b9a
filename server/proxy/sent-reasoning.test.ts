import { Secret } from '../kernel/secret.js';
import type { ChatMessage } from '../providers/chat-types.js';
import { buildCatalogue } from '../providers/model-catalogue.js';
import { reasoningFields } from '../providers/provider-adapter.js';
import { readTollgateFile } from '../providers/settings/tollgate-file.js';
import { findCallBounds } from './call-bounds.js';
import { withoutUnsentReasoning } from './sent-reasoning.js';

const googleHost = 'https://generativelanguage.googleapis.com/v1beta/openai';
const { file } = readTollgateFile(
  `
providers:
  google: { adapter: openai, baseUrl: "${googleHost}", apiKey: k }
models:
  google: { tier: lower, maxOutputTokens: 1000, routes: [google/gemini-3-pro] }
  both: { tier: lower, maxOutputTokens: 1000, routes: [openai/m, anthropic/claude-opus-5] }`,
  {},
);
const on = { apiKey: new Secret('sk-ours'), baseUrl: null };
const { findModel } = buildCatalogue({
  providers: { openai: on, anthropic: on, gemini: on, deepseek: on, mistral: on },
  isDemoProviderOn: false,
  tollgateFile: file,
});

const thought = 'a glimmer of an idea '.repeat(40);
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
const signed = { google: { thought_signature: thought } };
/** Messages that bring thinking back, each in one way. */
const brought = (model: string): Readonly<Record<string, Partial<ChatMessage>>> => ({
  reasoning_content: { reasoning_content: thought },
  reasoning_details: {
    reasoning_details: [
      { type: 'reasoning.text', text: thought, signature: 's', format: 'anthropic-claude-v1', model, index: 0 },
    ],
  },
  'extra_content of the message': { extra_content: signed },
  'extra_content of a call': { tool_calls: [{ ...call, extra_content: signed }] },
});

const fieldOf = (way: string) => way.split(' ')[0];

/** What the routes of this model are sent of a request with this message, and what is held for it. */
function send(model: string, said: Partial<ChatMessage>) {
  const found = findModel(model);
  if (!found) throw new Error(`${model} is unknown`);
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello', tool_calls: [call], ...said },
    { role: 'tool', content: 'Fine', tool_call_id: 'a' },
  ] as const satisfies readonly ChatMessage[];
  const request = { model, messages, max_completion_tokens: 500 };
  const sent = withoutUnsentReasoning(request, found.targets);
  const bodies = found.targets.map((target) =>
    target.kind === 'http' ? JSON.stringify(target.adapter.buildRequest(sent, target).body) : '',
  );
  return {
    isSent: bodies.some((body) => body.includes(thought)),
    tokensMax: findCallBounds(request, found).promptTokensMax,
  };
}

const models = [
  'gpt-4o-mini',
  'claude-opus-5',
  'gemini-3.8-flash',
  'deepseek-reasoner',
  'mistral-small',
  'google',
  'both',
];

describe('The thinking of an earlier answer that comes back', () => {
  it.each(models)('is held for, and estimated, where it is sent, and nowhere else: %s', (model) => {
    const { tokensMax: without } = send(model, {});
    const ways = Object.entries(brought(model)).map(([way, said]) => ({ field: fieldOf(way), ...send(model, said) }));
    for (const { field, tokensMax } of ways) {
      const isFieldSent = ways.some((way) => way.field === field && way.isSent);
      const isHeldFor = tokensMax - without >= thought.length;
      expect({ field, isHeldFor, more: isHeldFor ? 0 : tokensMax - without }).toEqual({
        field,
        isHeldFor: isFieldSent,
        more: 0,
      });
    }
  });

  it('is sent somewhere in each of its forms', () => {
    const ways = Object.keys(brought('')).filter((way) =>
      models.some((model) => send(model, brought(model)[way] ?? {}).isSent),
    );
    expect(ways).toEqual(Object.keys(brought('')));
    expect(new Set(ways.map(fieldOf))).toEqual(new Set(reasoningFields));
  });
});
