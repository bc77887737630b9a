import { priceList } from '../../pricing/price-list.js';
import { findClaudeCapabilities } from './claude-models.js';

describe('findClaudeCapabilities', () => {
  it.each([
    ['claude-fable-5-2', 128_000, 'adaptive', 'never', false, false],
    ['claude-opus-5-5', 128_000, 'adaptive', 'never', false, false],
    ['claude-opus-5', 128_000, 'adaptive', 'disabled', false, true],
    ['claude-opus-4-8', 128_000, 'adaptive', 'unsaid', false, true],
    ['claude-opus-4-7', 128_000, 'adaptive', 'unsaid', false, true],
    ['claude-opus-4-6', 128_000, 'adaptive', 'unsaid', true, true],
    ['claude-opus-4-5-20251101', 64_000, 'budget', 'unsaid', true, true],
    ['claude-opus-4-1-20250805', 32_000, 'budget', 'unsaid', true, true],
    ['claude-opus-4-20250514', 32_000, 'budget', 'unsaid', true, true],
    ['claude-3-opus-20240229', 4_096, 'none', 'unsaid', true, true],
    ['claude-sonnet-5-5', 128_000, 'adaptive', 'between_tools', false, false],
    ['claude-sonnet-5', 128_000, 'adaptive', 'disabled', false, true],
    ['claude-sonnet-4-6', 128_000, 'adaptive', 'unsaid', true, true],
    ['claude-sonnet-4-5', 64_000, 'budget', 'unsaid', true, true],
    ['claude-sonnet-4-20250514', 64_000, 'budget', 'unsaid', true, true],
    ['claude-3-7-sonnet-latest', 64_000, 'budget', 'unsaid', true, true],
    ['claude-3-5-sonnet-20241022', 8_192, 'none', 'unsaid', true, true],
    ['claude-haiku-5-5', 128_000, 'adaptive', 'disabled', false, true],
    ['claude-haiku-4-5-20251001', 64_000, 'budget', 'unsaid', true, true],
    ['claude-3-haiku-20240307', 4_096, 'none', 'unsaid', true, true],
  ])('knows %s', (model, maxOutputTokens, thinking, thinkingOff, takesSampling, canForceTools) => {
    expect(findClaudeCapabilities(model)).toMatchObject({
      maxOutputTokens,
      thinking,
      thinkingOff,
      takesSampling,
      canForceTools,
    });
  });

  it.each([
    ['claude-opus-6', 'claude-opus-5-5'],
    ['claude-opus-5-11', 'claude-opus-5-5'],
    ['claude-sonnet-7-1', 'claude-sonnet-5-5'],
    ['claude-haiku-6-20270101', 'claude-haiku-5-5'],
    ['claude-fable-9', 'claude-fable-5-2'],
    ['claude-opus-latest', 'claude-opus-5-5'],
    ['claude-saga-1', 'claude-opus-5-5'],
    ['something-else', 'claude-opus-5-5'],
    ['claude-constructor-1', 'claude-opus-5-5'],
  ])('gives %s, which it does not know, what the newest has: %s', (unknown, known) => {
    expect(findClaudeCapabilities(unknown)).toEqual(findClaudeCapabilities(known));
  });

  it('lets every model that is sold answer as long as was priced', () => {
    const sold = priceList.filter(({ routes }) => routes.some((route) => route.startsWith('anthropic/')));
    expect(sold.length).toBeGreaterThan(10);
    for (const { id, maxOutputTokens } of sold) {
      expect({ id, isEnough: findClaudeCapabilities(id).maxOutputTokens >= maxOutputTokens }).toEqual({
        id,
        isEnough: true,
      });
    }
  });
});
