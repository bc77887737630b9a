import { keepInList, type ListStorage, readList } from '../kept-list';
import { fillVariables, listVariables, promptsOf } from './prompt-library';

function createStorage(): ListStorage {
  const items = new Map<string, string>();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => void items.set(key, text) };
}

describe('the prompt library', () => {
  const prompt = {
    name: 'Review',
    system: 'You review {{ language }}.',
    question: 'Look at {{code}} in {{language}}.',
  };

  it('knows the variables of a prompt, each once', () => {
    expect(listVariables(prompt)).toEqual(['language', 'code']);
    expect(listVariables({ system: '', question: 'No {braces}, {{}} or {{1}} here' })).toEqual([]);
  });

  it('fills them in as they are typed, and leaves what has no value', () => {
    expect(fillVariables(prompt.question, { code: '$& {{language}}' })).toBe(
      'Look at $& {{language}} in {{language}}.',
    );
    expect(fillVariables('{{constructor}}', {})).toBe('{{constructor}}');
  });

  it('keeps the prompts of each person in each account apart, and those that were kept for an account are its person’s', () => {
    const storage = createStorage();
    keepInList(storage, promptsOf('acct_1'), prompt);
    expect(readList(storage, promptsOf('acct_1 acct_1'))).toEqual([prompt]);
    for (const owner of ['acct_2 acct_2', 'acct_2 acct_1', 'acct_1 acct_2']) {
      expect(readList(storage, promptsOf(owner))).toEqual([]);
    }
  });

  it('keeps nothing that is empty, without a name or too long, and fifty at most', () => {
    const storage = createStorage();
    const kind = promptsOf('acct_1');
    keepInList(storage, kind, { name: 'Empty', system: ' ', question: '' });
    keepInList(storage, kind, { ...prompt, name: '  ' });
    keepInList(storage, kind, { ...prompt, question: 'x'.repeat(20_001) });
    expect(readList(storage, kind)).toEqual([]);
    for (let n = 0; n < 60; n += 1) keepInList(storage, kind, { ...prompt, name: `Prompt ${n}` });
    expect(readList(storage, kind)).toHaveLength(50);
  });
});
