import { refusalWords } from './refusal-words';

describe('refusalWords', () => {
  it('names the cause and the page that mends it', () => {
    expect(refusalWords('insufficient_quota', 402).fix).toEqual({ words: 'Buy credits', place: 'credits' });
    expect(refusalWords('ip_not_authorized', 403)).toMatchObject({
      cause: expect.stringContaining('IP allow-list'),
      fix: { place: 'keys' },
    });
  });

  it.each([
    ['invalid_type', 400, 'wrong type'],
    ['invalid_value', 400, 'a value that is not allowed'],
    ['unsupported_media_type', 415, 'JSON'],
    ['unsupported_endpoint', 400, 'endpoint'],
    ['maintenance', 503, 'maintenance'],
  ])('tells of %s what it is, and not that a field has to go', (code, status, words) => {
    const { cause } = refusalWords(code, status);
    expect(cause).toContain(words);
    expect(cause).not.toContain('a field that is not allowed');
  });

  it('has words for a code that it does not know, by its status', () => {
    expect(refusalWords('toString', 400).cause).toContain('field');
    expect(refusalWords('brand_new', 503).cause).toContain('could not accept');
  });
});
