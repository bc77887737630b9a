import { setTimeout as sleep } from 'node:timers/promises';
import { FallbackRequestLog } from './fallback-request-log.js';
import { type LogEntry, MemoryRequestLog, type RequestLog } from './request-log.js';

/** A shared log that hangs until it is told to answer or to give up. */
class HangingLog implements RequestLog {
  asked = 0;
  #settle: { resolve(entry: LogEntry): void; reject(error: Error): void } | null = null;

  enter(): Promise<LogEntry> {
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

describe('FallbackRequestLog', () => {
  it('has one request wait for a shared log that hangs, and none of those that follow', async () => {
    const shared = new HangingLog();
    const log = new FallbackRequestLog(shared, new MemoryRequestLog());
    const first = log.enter(request);
    await sleep(150);
    shared.giveUp();
    expect(await first).toMatchObject({ isEntered: true, count: 1 });
    for (const expected of [true, false, false]) {
      expect(await log.enter({ ...request, requestId: `call_${Math.random()}` })).toMatchObject({
        isEntered: expected,
      });
    }
    expect(shared.asked).toBe(1);
    await log.close();
  });
});
