import type { ListStorage } from '../kept-list';
import { dropView, keepView, readViews } from './saved-views';

function createStorage(): ListStorage & { text: string | null } {
  return {
    text: null,
    getItem() {
      return this.text;
    },
    setItem(_key, text) {
      this.text = text;
    },
  };
}

describe('saved views', () => {
  it('are kept by name, the latest of a name alone, and dropped', () => {
    const storage = createStorage();
    keepView(storage, 'explore', { name: 'Week', search: 'range=7d' });
    keepView(storage, 'explore', { name: 'By tag', search: 'by=tag' });
    keepView(storage, 'explore', { name: ' Week ', search: 'range=7d&by=key' });
    expect(readViews(storage, 'explore')).toEqual([
      { name: 'By tag', search: 'by=tag' },
      { name: 'Week', search: 'range=7d&by=key' },
    ]);
    expect(dropView(storage, 'explore', 'Week')).toEqual([{ name: 'By tag', search: 'by=tag' }]);
  });

  it('are at most twenty, and none without a name', () => {
    const storage = createStorage();
    for (let n = 0; n < 25; n += 1) keepView(storage, 'explore', { name: `View ${n}`, search: '' });
    expect(readViews(storage, 'explore')).toHaveLength(20);
    expect(keepView(storage, 'explore', { name: 'View 20', search: '' }).fault).toMatch(/keeps 20 of them at most/);
    expect(keepView(storage, 'explore', { name: 'View 3', search: 'by=key' }).items).toContainEqual({
      name: 'View 3',
      search: 'by=key',
    });
    expect(keepView(createStorage(), 'explore', { name: '  ', search: 'by=key' }).items).toEqual([]);
  });

  it('are none where storage is forbidden, full or holds something else', () => {
    const none = { items: [], fault: expect.stringContaining('full or forbidden') };
    const forbidden: ListStorage = {
      getItem: () => '{"name":1}',
      setItem: () => {
        throw new Error('full');
      },
    };
    expect(keepView(forbidden, 'explore', { name: 'Week', search: '' })).toEqual(none);
    expect(keepView(null, 'explore', { name: 'Week', search: '' })).toEqual(none);
  });
});
