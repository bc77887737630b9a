import { type KeyDraft, newKeyDraft, toKeyChange } from './key-draft';

const shown: KeyDraft = {
  ...newKeyDraft,
  name: 'prod',
  spendLimit: 1_000,
  spendPeriod: 'MONTH',
  addresses: ['192.0.2.7'],
};

describe('What is sent of a changed key', () => {
  it.each<[string, Partial<KeyDraft>, object]>([
    ['a name', { name: ' prod 2 ' }, { name: 'prod 2' }],
    ['nothing, or spaces alone', { name: 'prod ', addresses: ['192.0.2.7'] }, {}],
    ['addresses', { addresses: ['192.0.2.7', '192.0.2.8'] }, { addresses: ['192.0.2.7', '192.0.2.8'] }],
    ['a limit that is lifted', { addresses: null }, { addresses: null }],
    ['a budget, with its period', { spendLimit: 5 }, { spendLimit: 5, spendPeriod: 'MONTH' }],
    ['a period, with its budget', { spendPeriod: 'DAY' }, { spendLimit: 1_000, spendPeriod: 'DAY' }],
    ['a budget that is lifted', { spendLimit: null, spendPeriod: null }, { spendLimit: null, spendPeriod: null }],
  ])('is what its user changed, and no other field: %s', (_, change, sent) => {
    expect(toKeyChange(shown, { ...shown, ...change })).toEqual(sent);
  });
});
