import { playgroundKeyId } from '../../kernel/ids.js';
import { watchKeys } from './key-watch.js';

const isCurrent = (keyId: string, revision: number | undefined) => keyId === 'key_1' && revision === 2;

describe('watchKeys', () => {
  it('takes of a key for current what is known of it', () => {
    const watch = watchKeys({ isUpToDate: true, isCurrent });
    expect([watch.isCurrent('key_1', 2), watch.isCurrent('key_1', 1), watch.isCurrent('key_2', 2)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('takes the playground for current only where every server tells of its changes', () => {
    expect(watchKeys({ isUpToDate: true, isCurrent }).isCurrent(playgroundKeyId, undefined)).toBe(true);
    expect(watchKeys({ isUpToDate: false, isCurrent }).isCurrent(playgroundKeyId, undefined)).toBe(false);
  });
});
