/**
 * Names of models as OpenRouter spells them, for clients that were written for it: theirs, and a name of
 * ours. A model is listed, priced and reported under our name. https://openrouter.ai/models
 */
export const modelAliases: Readonly<Record<string, string>> = {
  ...ofVendor('anthropic', 'anthropic', {
    'claude-haiku-4.5': 'claude-haiku-4-5',
    'claude-haiku-5.5': 'claude-haiku-5-5',
    'claude-sonnet-4.5': 'claude-sonnet-4-5',
    'claude-sonnet-4.6': 'claude-sonnet-4-6',
    'claude-sonnet-5.5': 'claude-sonnet-5-5',
    'claude-opus-4.5': 'claude-opus-4-5',
    'claude-opus-4.6': 'claude-opus-4-6',
    'claude-opus-4.7': 'claude-opus-4-7',
    'claude-opus-4.8': 'claude-opus-4-8',
    'claude-opus-5.5': 'claude-opus-5-5',
    'claude-fable-5.1': 'claude-fable-5-1',
    'claude-fable-5.2': 'claude-fable-5-2',
  }),
  ...ofVendor('google', 'gemini', {
    'gemini-2.5-flash': 'gemini-2.5-flash',
    'gemini-2.5-flash-lite': 'gemini-2.5-flash-lite',
    'gemini-2.5-pro': 'gemini-2.5-pro',
    'gemini-3-flash-preview': 'gemini-3-flash',
    'gemini-3.1-flash-lite': 'gemini-3.1-flash-lite',
    'gemini-3.1-pro-preview': 'gemini-3.1-pro',
    'gemini-3.5-flash': 'gemini-3.5-flash',
    'gemini-3.5-flash-lite': 'gemini-3.5-flash-lite',
    'gemini-3.8-flash': 'gemini-3.8-flash',
    'gemini-embedding-001': 'gemini-embedding-001',
  }),
  ...ofVendor('mistralai', 'mistral', {
    'mistral-small': 'mistral-small',
    'mistral-medium': 'mistral-medium',
    'mistral-large': 'mistral-large',
    'ministral-8b': 'ministral-8b',
    codestral: 'codestral',
    'mistral-embed': 'mistral-embed',
  }),
  ...ofVendor('x-ai', 'xai', { 'grok-3': 'grok-3', 'grok-3-mini': 'grok-3-mini', 'grok-4': 'grok-4' }),
  ...ofVendor('moonshotai', null, { 'kimi-k2': 'kimi-k2', 'kimi-k2-0905': 'kimi-k2' }),
  ...ofVendor('meta-llama', null, {
    'llama-3.3-70b-instruct': 'llama-3.3-70b',
    'llama-3.1-8b-instruct': 'llama-3.1-8b',
    'llama-3.2-3b-instruct': 'llama-3.2-3b',
  }),
  ...ofVendor('openai', null, {
    'gpt-oss-120b': 'gpt-oss-120b',
    'gpt-oss-20b': 'gpt-oss-20b',
  }),
  ...ofVendor('baai', null, { 'bge-m3': 'bge-m3' }),
};

/**
 * With the vendor in front, and where it is no name of ours, alone. A vendor that is a provider of ours stays the only one that is
 * asked, as for every name of the form `provider/model`.
 */
function ofVendor(
  vendor: string,
  provider: string | null,
  idByName: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = Object.entries(idByName);
  const pin = provider === null ? '' : `${provider}/`;
  return Object.fromEntries([
    ...names.map(([name, id]) => [`${vendor}/${name}`, `${pin}${id}`]),
    ...names.filter(([name, id]) => name !== id),
  ]);
}
