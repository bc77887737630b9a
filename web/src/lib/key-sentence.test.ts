import { type KeyPermissions, keySentence, noDayYet } from './key-sentence';

const free: KeyPermissions = {
  scopes: ['CHAT', 'USAGE_READ'],
  models: null,
  providers: null,
  spendLimit: null,
  spendPeriod: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  addresses: null,
  expiresAt: null,
};

describe('keySentence', () => {
  it('says of a new key that it may do what its owner may', () => {
    expect(keySentence(free)).toBe(
      'This key may call models and read usage: any model, with no budget, from any address, until it is revoked.',
    );
  });

  it('says that a list is still empty, and that a day is not chosen', () => {
    expect(keySentence({ ...free, expiresAt: noDayYet })).toContain('until a day that is not chosen yet.');
    expect(keySentence({ ...free, models: [], providers: [], addresses: [] })).toBe(
      'This key may call models and read usage: no model yet, answered by no provider yet, with no budget, from no address yet, until it is revoked.',
    );
  });

  it('says every limit', () => {
    const limited: KeyPermissions = {
      scopes: ['CHAT'],
      models: ['gpt-4o', 'gpt-5', 'o3', 'o4-mini', 'gpt-4'],
      providers: ['openai'],
      spendLimit: 500.5,
      spendPeriod: 'MONTH',
      requestsPerMinute: 10,
      tokensPerMinute: 20_000,
      addresses: ['192.0.2.0/24'],
      expiresAt: '2027-01-31T00:00:00.000Z',
    };
    expect(keySentence(limited)).toBe(
      'This key may call models: gpt-4o, gpt-5, o3 and 2 more only, answered by openai only, for at most 500.5 credits per month, with at most 10 requests per minute, with at most 20,000 tokens per minute, from 192.0.2.0/24 only, until 31 January 2027.',
    );
  });

  it('leaves out what concerns calls when it may make none', () => {
    expect(keySentence({ ...free, scopes: ['BILLING_WRITE'] })).toBe(
      'This key may buy credits: from any address, until it is revoked.',
    );
    expect(keySentence({ ...free, scopes: [] })).toContain('may do nothing');
  });
});
