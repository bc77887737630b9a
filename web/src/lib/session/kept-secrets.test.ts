import { forgetKeptSecrets, keptForMs, readKeptSecrets, type TabStorage, writeKeptSecrets } from './kept-secrets';

function createTab(): TabStorage & { items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

const kept = { key_1: { secret: 'sk-tg-x', madeAtMs: 1_000 } };

describe('kept secrets', () => {
  it('survive the way through the checkout', () => {
    const tab = createTab();
    writeKeptSecrets(tab, kept);
    expect(readKeptSecrets(tab, 2_000)).toEqual(kept);
  });

  it('are gone after half an hour, and at once when the owner signs out', () => {
    const tab = createTab();
    writeKeptSecrets(tab, kept);
    expect(readKeptSecrets(tab, 1_000 + keptForMs)).toEqual({});
    forgetKeptSecrets(tab);
    expect(tab.items.size).toBe(0);
  });

  it('are none when what is stored cannot be read', () => {
    const tab = createTab();
    tab.setItem('tollgate.fresh-secrets', '{broken');
    expect(readKeptSecrets(tab, 0)).toEqual({});
  });
});
