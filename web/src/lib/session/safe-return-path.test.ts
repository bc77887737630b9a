import { safeReturnPath } from './safe-return-path';

describe('safeReturnPath', () => {
  it('keeps a path of this site with its query', () => {
    expect(safeReturnPath('/calls?call=call_1')).toBe('/calls?call=call_1');
  });

  it.each([
    null,
    '',
    'calls',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    '/sign-in?next=/sign-in',
    '/sign-up',
  ])('leads %j to the overview', (path) => {
    expect(safeReturnPath(path)).toBe('/');
  });
});
