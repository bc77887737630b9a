import { playgroundKeyId } from '../kernel/ids.js';
import { watchKeys } from './key-watch.js';

describe('watchKeys', () => {
  it('takes the playground for current at any time, and of a key what is known of it', () => {
    const watch = watchKeys({ isCurrent: (keyId, revision) => keyId === 'key_1' && revision === 2 });
    expect(watch.isCurrent(playgroundKeyId, undefined)).toBe(true);
    expect([watch.isCurrent('key_1', 2), watch.isCurrent('key_1', 1), watch.isCurrent('key_2', 2)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
