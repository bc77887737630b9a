import { providerFaultWords } from './provider-fault-words';

describe('What is told to whom a provider has sent back', () => {
  it('is nothing without a fault, and a sentence with a remedy for every word, known or not', () => {
    expect(providerFaultWords(null)).toBeNull();
    for (const fault of ['declined', 'away', 'refused', 'over', 'too_many', 'toString', 'unheard_of', '']) {
      expect(providerFaultWords(fault)).toMatch(/(again|another way)[^.]*\.$|Start again\.$|contact the operator/);
    }
    expect(providerFaultWords('unheard_of')).toBe(providerFaultWords('refused'));
  });
});
