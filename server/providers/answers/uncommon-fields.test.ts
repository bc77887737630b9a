import { toReasoningDetail } from '../anthropic/anthropic-reasoning.js';
import { readUncommonFields } from './uncommon-fields.js';

const textsOf = (...details: object[]) => readUncommonFields({ reasoning_details: details }).reasoning;

describe('The details of reasoning', () => {
  it('have the words that were thought, and nothing that says whose they are, where they stood or that they are genuine', () => {
    const place = { index: 0, after: 'words before', publicModel: 'claude-opus-5' };
    const thought = { type: 'thinking', thinking: 'Two cities.', signature: 'c2lnbmVk' } as const;
    const sealed = { type: 'redacted_thinking', data: 'c2VhbGVk' } as const;
    expect(textsOf(toReasoningDetail(thought, place), toReasoningDetail(sealed, place))).toEqual(['Two cities.']);
  });

  it('have it under any name where it has none that is known', () => {
    expect(textsOf({ type: 'reasoning.summary', summary: 'In short.', language: 'en' })).toEqual(['In short.']);
    expect(textsOf({ type: 'reasoning.draft', id: 'rs_1', draft: 'A first try.' })).toEqual(['A first try.']);
  });
});
