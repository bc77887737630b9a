/** @jest-environment jsdom */

import type { ListStorage } from '../kept-list';
import { dropView, giveViewsToOwner, keepView, readViews } from './saved-views';

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

const place = { page: 'explore', owner: 'acct_1 acct_1' } as const;
const ofAnother = { page: 'explore', owner: 'acct_2 acct_1' } as const;

describe('saved views', () => {
  it('are kept by name, the latest of a name alone, and dropped', () => {
    const storage = createStorage();
    keepView(storage, place, { name: 'Week', search: 'range=7d' });
    keepView(storage, place, { name: 'By tag', search: 'by=tag' });
    keepView(storage, place, { name: ' Week ', search: 'range=7d&by=key' });
    expect(readViews(storage, place)).toEqual([
      { name: 'By tag', search: 'by=tag' },
      { name: 'Week', search: 'range=7d&by=key' },
    ]);
    expect(dropView(storage, place, 'Week')).toEqual([{ name: 'By tag', search: 'by=tag' }]);
  });

  it('are at most twenty, and none without a name', () => {
    const storage = createStorage();
    for (let n = 0; n < 25; n += 1) keepView(storage, place, { name: `View ${n}`, search: '' });
    expect(readViews(storage, place)).toHaveLength(20);
    expect(keepView(storage, place, { name: 'View 20', search: '' }).fault).toMatch(/keeps up to 20/);
    expect(keepView(storage, place, { name: 'View 3', search: 'by=key' }).items).toContainEqual({
      name: 'View 3',
      search: 'by=key',
    });
    expect(keepView(createStorage(), place, { name: '  ', search: 'by=key' }).items).toEqual([]);
  });

  it('are none where storage is forbidden, full or holds something else', () => {
    const none = { items: [], fault: expect.stringContaining('full or turned off') };
    const forbidden: ListStorage = {
      getItem: () => '{"name":1}',
      setItem: () => {
        throw new Error('full');
      },
    };
    expect(keepView(forbidden, place, { name: 'Week', search: '' })).toEqual(none);
    expect(keepView(null, place, { name: 'Week', search: '' })).toEqual(none);
  });

  it('from before they had owners go to whoever’s session goes on in this browser, and to nobody after a sign-out', () => {
    const view = { name: 'Week', search: 'range=7d' };
    const findAfter = (owner: string | null) => {
      localStorage.clear();
      localStorage.setItem('tollgate.views.explore', JSON.stringify([view]));
      giveViewsToOwner(localStorage, owner);
      // Whoever signs in next loads the page as well.
      giveViewsToOwner(localStorage, ofAnother.owner);
      return [readViews(localStorage, place), readViews(localStorage, ofAnother), Object.keys(localStorage).length];
    };
    expect(findAfter(place.owner)).toEqual([[view], [], 1]);
    expect(findAfter(null)).toEqual([[], [], 0]);
  });
});
