import { isPrintable, onlyPrintable } from './printable-text.js';

describe('A name', () => {
  it.each([
    'Ada Lovelace',
    'O’Brien-Şahin, Jr.',
    '山田　太郎',
    'نیم\u200cفاصله',
    '👩\u200d💻 ☕️ 100 %',
    'عربي',
    'e\u0301',
    '',
  ])('may be %j', (name) => {
    expect([isPrintable(name), onlyPrintable(name)]).toEqual([true, name]);
  });

  it.each([
    ['an override of the direction', '\u202e'],
    ['an isolate of a direction', '\u2066'],
    ['a mark of direction', '\u200f'],
    ['a space of no width', '\u200b'],
    ['a byte order mark', '\ufeff'],
    ['a soft hyphen', '\u00ad'],
    ['a letter of a tag', '\u{e0041}'],
    ['a line break', '\n'],
    ['a separator of lines', '\u2028'],
    ['half a character', '\ud800'],
    ['a character of private use', '\ue000'],
  ])('holds not %s', (_what, character) => {
    const name = `Prod${character}key`;
    expect([isPrintable(name), onlyPrintable(name)]).toEqual([false, 'Prodkey']);
  });
});
