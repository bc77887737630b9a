import { keepAnnouncements, readKeptAnnouncements } from './kept-announcements';

const now = new Date('2026-11-24T12:00:00Z');
const news = { id: 'ann_1', isMaintenance: false, text: 'New models.', startsAt: '2026-11-24T10:00:00Z', endsAt: null };

function createStorage(kept: string | null = null) {
  let text = kept;
  return {
    getItem: () => text,
    setItem: (_: string, value: string) => {
      text = value;
    },
  };
}

describe('kept announcements', () => {
  it('are read as they were kept, but for those that are over', () => {
    const storage = createStorage();
    const over = { ...news, id: 'ann_2', endsAt: '2026-11-24T12:00:00Z' };
    const later = { ...news, id: 'ann_3', endsAt: '2026-11-24T12:00:01Z' };
    keepAnnouncements(storage, [news, over, later]);
    expect(readKeptAnnouncements(storage, now)).toEqual([news, later]);
  });

  it.each([null, '', 'no JSON', '{}', '[1, null, {"id": 1}]', '[{"id": "a", "text": "b"}]'])(
    'are none where %s is kept',
    (kept) => {
      expect(readKeptAnnouncements(createStorage(kept), now)).toEqual([]);
    },
  );

  it('are none in a browser that stores nothing', () => {
    const forbidding = {
      setItem: () => {
        throw new Error('forbidden');
      },
      getItem: (): string => {
        throw new Error('forbidden');
      },
    };
    keepAnnouncements(forbidding, [news]);
    expect(readKeptAnnouncements(forbidding, now)).toEqual([]);
    expect(readKeptAnnouncements(null, now)).toEqual([]);
  });
});
