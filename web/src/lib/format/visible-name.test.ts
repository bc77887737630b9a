import { keepInList, readList } from '../kept-list';
import { nameFault } from '../session/validate-credentials';
import { shownName } from './visible-name';

const unseen = ['\u200d\u200c', '\u3164', '\uffa0\u115f', '\u2800\u2800', '\ufe0f', '\u0301'];

describe('A name of which nothing is seen', () => {
  it.each(unseen)('is refused by forms, and has words in its place: %j', (name) => {
    expect([nameFault(name), shownName(name)]).toEqual(['Enter a name with visible characters.', '(no visible name)']);
    expect([nameFault(`Ada${name}`), shownName(`Ada${name}`)]).toEqual([null, `Ada${name}`]);
  });

  it('is given to nothing that a browser keeps, and what has one stays', () => {
    const items = new Map([['things', JSON.stringify([{ name: '\u3164' }])]]);
    const storage = { getItem: (key: string) => items.get(key) ?? null, setItem: items.set.bind(items) };
    const kind = { key: 'things', itemsMax: 5, isItem: (item: unknown): item is { name: string } => Boolean(item) };
    expect(keepInList(storage, kind, { name: '\u2800' }).fault).toContain('empty');
    expect(readList(storage, kind)).toEqual([{ name: '\u3164' }]);
  });
});
