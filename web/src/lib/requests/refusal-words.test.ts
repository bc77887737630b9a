import { refusalWords } from './refusal-words';

describe('refusalWords', () => {
  it('names the cause and the page that mends it', () => {
    expect(refusalWords('insufficient_quota', 402).fix).toEqual({ words: 'Buy credits', place: 'credits' });
    expect(refusalWords('ip_not_authorized', 403)).toMatchObject({
      cause: expect.stringContaining('IP allow-list'),
      fix: { place: 'keys' },
    });
  });

  it('has words for a code that it does not know, by its status', () => {
    expect(refusalWords('toString', 400).cause).toContain('field');
    expect(refusalWords('brand_new', 503).cause).toContain('could not accept');
  });
});
