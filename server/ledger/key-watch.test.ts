import { playgroundKeyId } from '../kernel/ids.js';
import { blindKeyWatch, LocalKeyWatch } from './key-watch.js';

describe('The watch over keys', () => {
  it('of one process takes a key for current until a later revision was told of it, and the playground always', () => {
    const watch = new LocalKeyWatch();
    expect([watch.isCurrent('key_1', 3), watch.isCurrent('key_1', undefined)]).toEqual([true, false]);
    watch.noteChange('key_1', 4);
    // Two changes may be told in the other order.
    watch.noteChange('key_1', 3);
    expect([3, 4].map((revision) => watch.isCurrent('key_1', revision))).toEqual([false, true]);
    expect([watch.isCurrent('key_2', 0), watch.isCurrent(playgroundKeyId, undefined)]).toEqual([true, true]);
  });

  it('of several processes knows nothing but that the playground has no key', () => {
    expect([blindKeyWatch.isCurrent('key_1', 1), blindKeyWatch.isCurrent(playgroundKeyId, 0)]).toEqual([false, true]);
  });
});
