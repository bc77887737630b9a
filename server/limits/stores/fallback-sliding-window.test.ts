import { setTimeout as sleep } from 'node:timers/promises';
import { isRedisAway } from '../../redis/redis-away.js';
import { MemorySlidingWindow, type SlidingWindow, type WindowEntry } from '../sliding-window.js';
import { FallbackSlidingWindow } from './fallback-sliding-window.js';
import { SharedStoreWatch } from './shared-store-watch.js';

/** A shared window that hangs until it is told to answer or to give up. */
class HangingLog implements SlidingWindow {
  asked = 0;
  #settle: { resolve(entry: WindowEntry): void; reject(error: Error): void } | null = null;

  enter(): Promise<WindowEntry> {
    this.asked += 1;
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  giveUp(): void {
    this.#settle?.reject(new Error('Command timed out'));
  }

  async close(): Promise<void> {}
}

const request = { accountId: 'acct_1', requestId: 'call_1', limit: 2 };

describe('FallbackSlidingWindow', () => {
  it('has one request wait for a shared window that hangs, and none of those that follow', async () => {
    const shared = new HangingLog();
    const window = new FallbackSlidingWindow(shared, new MemorySlidingWindow());
    const first = window.enter(request);
    await sleep(150);
    shared.giveUp();
    expect(await first).toMatchObject({ isEntered: true, count: 1 });
    for (const expected of [true, false, false]) {
      expect(await window.enter({ ...request, requestId: `call_${Math.random()}` })).toMatchObject({
        isEntered: expected,
      });
    }
    expect(shared.asked).toBe(1);
    await window.close();
  });

  const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

  it.each([
    ["NOPERM this user has no permissions to run the 'eval' command", true],
    ["OOM command not allowed when used memory > 'maxmemory'.", true],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', true],
    ['LOADING Redis is loading the dataset in memory', false],
    ["READONLY You can't write against a read only replica.", false],
  ])('counts by itself on the answer %j, and tells of it once: %s', async (message, isTold) => {
    const told: unknown[] = [];
    const fault = reply(message);
    const shared: SlidingWindow = { enter: () => Promise.reject(fault), close: async () => {} };
    const watch = new SharedStoreWatch({ isAway: isRedisAway, tell: (error) => told.push(error) });
    const window = new FallbackSlidingWindow(shared, new MemorySlidingWindow(), watch);
    const entered = [];
    for (let index = 0; index < 4; index += 1) entered.push((await window.enter(request)).isEntered);
    expect(entered).toEqual([true, true, false, false]);
    expect(told).toEqual(isTold ? [fault] : []);
    await window.close();
  });

  it.each([
    'Command timed out',
    'Connection is closed.',
    "Stream isn't writeable and enableOfflineQueue options is false",
    'connect ECONNREFUSED 127.0.0.1:6379',
  ])('takes %j for a Redis that is away, of which the connection tells', (message) => {
    const code = message.includes('ECONN') ? { code: 'ECONNREFUSED' } : {};
    expect(isRedisAway(Object.assign(new Error(message), code))).toBe(true);
  });

  it('takes a fault of ours for no outage', () => {
    expect(isRedisAway(new TypeError('undefined is not a function'))).toBe(false);
  });
});
