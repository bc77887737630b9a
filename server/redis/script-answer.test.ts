import { RedisAttemptStore } from '../limits/stores/redis-attempt-store.js';
import { RedisSlidingWindow } from '../limits/stores/redis-sliding-window.js';
import { RedisTokenLog } from '../limits/stores/redis-token-log.js';
import { isRedisAway } from './redis-away.js';
import { readTexts } from './script-answer.js';

const strange: readonly unknown[] = [
  ...[null, 'OK', 0, -1, [], [1], [1, 0], [null, null, null], ['1', '0', '5'], ['NaN', 'NaN', 'NaN']],
  ...[
    [1, 1, 99_999_999_999_999],
    [1, -1, 0],
    [2, 0, 0],
    [0, 1.5, 0],
    [1, 1, 1, 1, 1],
  ],
  ...[
    [1, 5, 0, null],
    [1, 5, 0, 'hello'],
    [1, 5, 0, ['5']],
    [1, 5, 0, ['5', 'x']],
    [1, 5, 1_000, []],
  ],
];
/** One that says this to all scripts. */
const answering = (answer: unknown) => ({ runScript: async () => answer, remove: async () => {} });
const fault = async (asking: Promise<unknown>) => {
  const error = await asking.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { isRefused: error instanceof Error, isAway: isRedisAway(error) };
};

describe('An answer of Redis to a script', () => {
  it.each(strange.map((answer) => [JSON.stringify(answer), answer] as const))(
    'is not believed in another shape: %s is a fault that is told of, and the process counts by itself',
    async (_, answer) => {
      const refused = { isRefused: true, isAway: false };
      const connection = answering(answer);
      const store = new RedisAttemptStore(connection);
      expect(await fault(store.count('a', { max: 5, windowMs: 60_000 }))).toEqual(refused);
      const request = { accountId: 'acct_1', requestId: 'call_1', limit: 60 };
      expect(await fault(new RedisSlidingWindow(connection).enter(request))).toEqual(refused);
      const tokens = { ownerId: 'acct_1', tokens: 1, limit: 60 };
      expect(await fault(new RedisTokenLog(connection).enter(tokens))).toEqual(refused);
    },
  );

  it('is read in its own shape', async () => {
    const standing = { waitMs: 0, count: 1, endsInMs: 500 };
    const store = new RedisAttemptStore(answering([1, 1, 500]));
    expect(await store.count('a', { max: 5, windowMs: 60_000 })).toEqual(standing);
    const request = { accountId: 'acct_1', requestId: 'call_1', limit: 60 };
    const entry = await new RedisSlidingWindow(answering([0, 60, 500])).enter(request);
    expect(entry).toEqual({ isEntered: false, count: 60, oldestLeavesInMs: 500 });
    const log = new RedisTokenLog(answering([1, 100, 5, ['99', '7', '100', '-2']]));
    expect(await log.enter({ ownerId: 'acct_1', tokens: 1, limit: 60 })).toMatchObject({ isEntered: true, used: 5 });
    expect(readTexts(['a', ''])).toEqual(['a', '']);
    expect(() => readTexts(['a', null])).toThrow('shape');
  });
});
