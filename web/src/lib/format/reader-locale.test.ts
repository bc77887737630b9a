/** @jest-environment jsdom */
import type { formatAbsoluteTime } from './format-time';
import { readerLocale, readerZone } from './reader-locale';

function setLanguage(language: unknown): void {
  Object.defineProperty(window.navigator, 'language', { value: language, configurable: true });
}

describe('readerLocale', () => {
  afterEach(() => setLanguage('en-US'));

  it.each(['de-AT', 'fa-IR', 'en'])('is the browser’s own: %s', (language) => {
    setLanguage(language);
    expect(readerLocale()).toBe(language);
  });

  it.each(['en-US@posix', '', 'C', undefined, null])(
    'is en-GB where the browser says %j, which no date can be written in',
    (language) => {
      setLanguage(language);
      expect(readerLocale()).toBe('en-GB');
    },
  );

  it('never keeps a page from being drawn: what writes times takes it as it is', () => {
    setLanguage('en-US@posix');
    jest.isolateModules(() => {
      const { formatAbsoluteTime: format } = require('./format-time') as {
        formatAbsoluteTime: typeof formatAbsoluteTime;
      };
      expect(format('2026-11-03T12:00:00Z')).toContain('2026');
    });
  });
});

describe('readerZone', () => {
  it('is one that dates can be written in', () => {
    expect(() => new Intl.DateTimeFormat('en-GB', { timeZone: readerZone() })).not.toThrow();
  });

  it('is found without the patterns of a language that is not the reader’s', () => {
    setLanguage('de-AT');
    const made = jest.spyOn(Intl, 'DateTimeFormat');
    readerZone();
    const languages = made.mock.calls.map(([language]) => language);
    made.mockRestore();
    setLanguage('en-US');
    expect(languages).toEqual([undefined, 'de-AT']);
  });
});
