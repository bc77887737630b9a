import { initialOf } from './initial-of';

describe('initialOf', () => {
  it.each([
    [' ada', 'A'],
    ['🦊 Fox', '🦊'],
    ['𐐨da', '𐐀'],
    ['שלום', 'ש'],
    ['  ', '?'],
  ])('is the whole first character of %j', (name, initial) => {
    expect(initialOf(name)).toBe(initial);
  });
});
