import { findCapabilities } from './model-capabilities.js';
import { priceList } from './price-list.js';

const images = { low: 1, high: 2 };
const can = (name: string) => {
  const { tools, jsonSchema, reasoning } = findCapabilities(name, null);
  return [tools && 'tools', jsonSchema && 'schema', reasoning && 'reasoning'].filter(Boolean).join(' ');
};

describe('findCapabilities', () => {
  it.each([
    ['gpt-3.5-turbo', 'tools'],
    ['gpt-4', 'tools'],
    ['gpt-4o-mini', 'tools schema'],
    ['gpt-4.1', 'tools schema'],
    ['gpt-5-chat-latest', 'tools schema'],
    ['gpt-5.2', 'tools schema reasoning'],
    ['o3', 'tools schema reasoning'],
    ['openai/gpt-oss-120b', 'tools schema reasoning'],
    ['accounts/fireworks/models/gpt-oss-20b', 'tools schema reasoning'],
    ['deepseek-chat', 'tools'],
    ['deepseek-reasoner', 'tools reasoning'],
    ['kimi-k2-0905-preview', 'tools'],
    ['magistral-medium-latest', 'tools schema reasoning'],
    ['mistral-large-latest', 'tools schema'],
    ['claude-3-5-haiku-20241022', 'tools'],
    ['claude-sonnet-4-5', 'tools schema reasoning'],
    ['gemini-2.0-flash', 'tools schema'],
    ['gemini-2.5-pro', 'tools schema reasoning'],
    ['sonar-pro', 'schema'],
    ['meta-llama/Llama-3.3-70B-Instruct', 'tools'],
    ['house/own-model', 'tools'],
  ])('%s: %s', (name, expected) => expect(can(name)).toBe(expected));

  it.each([
    ['gpt-9-ultra', 'gpt-5.2'],
    ['openai/gpt-6', 'gpt-5.2'],
    ['claude-next', 'claude-sonnet-4-5'],
    ['gemini-ultra-5', 'gemini-2.5-pro'],
    ['grok-12', 'grok-4'],
    ['deepseek-v9', 'deepseek-reasoner'],
    ['kimi-k2.6', 'kimi-k2-thinking'],
    ['kimi-k3', 'kimi-k2-thinking'],
  ])('takes %s, which it does not know, for as able as %s', (name, newest) => {
    expect(can(name)).toBe(can(newest));
  });

  it('says that a model sees exactly when the tokens of an image have a bound', () => {
    expect(findCapabilities('gpt-4o', images).vision).toBe(true);
    expect(findCapabilities('gpt-4o', null).vision).toBe(false);
  });

  it('knows every model of the price list by a family of its own brand, at all its routes alike', () => {
    const differing = priceList.filter(({ routes, imageTokensMax }) => {
      const found = routes.map((route) => JSON.stringify(findCapabilities(route, imageTokensMax)));
      return new Set(found).size > 1;
    });
    expect(differing.map(({ id }) => id)).toEqual([]);
  });
});
