import { hasVisible, isPrintable, isPrintableWithin, onlyPrintable } from './printable-text.js';

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
    ['joiners', '\u200d\u200c'],
    ['a Hangul filler', '\u3164'],
    ['Hangul fillers of a half and a whole width, and a space', '\uffa0 \u115f'],
    ['a Braille pattern without a dot', '\u2800\u2800'],
    ['a selector of variants', '\ufe0f'],
    ['an accent without a letter', '\u0301'],
    ['wide spaces', '\u3000\u00a0'],
  ])('is not made of %s alone, and may hold it beside a letter', (_what, unseen) => {
    expect([hasVisible(unseen), isPrintable(unseen)]).toEqual([false, false]);
    expect([hasVisible(`a${unseen}`), isPrintable(`a${unseen}`)]).toEqual([true, true]);
  });

  it.each([
    ['', false],
    ['🚀', true],
    ['🚀𠮷', true],
    ['🚀𠮷a', false],
    ['\u200d', false],
  ])('is %j, of one or two characters as a person counts them: %s', (name, isOne) => {
    expect(isPrintableWithin(name, 1, 2)).toBe(isOne);
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
