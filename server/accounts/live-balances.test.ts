import { LiveBalances } from './live-balances.js';

const openBalances = () =>
  new LiveBalances({
    findBalance: async () => ({ availableMillicredits: 1, heldMillicredits: 0 }),
    onWalletTouched: () => {},
  });

describe('Balances that are watched', () => {
  it('are a thousand of all accounts at once, and there is room again for each that is left', async () => {
    const live = openBalances();
    const watch = (accountId: string) => {
      const leaving = new AbortController();
      live.watch({ accountId, isStillAllowed: async () => true, signal: leaving.signal });
      return leaving;
    };
    const watchers = Array.from({ length: 1_000 }, (_, at) => watch(`account ${Math.floor(at / 5)}`));
    expect(live.listMetrics()).toMatchObject([{ name: 'tollgate_balances_watched', value: 1_000 }]);
    expect(() => watch('another')).toThrow('as many balances as it can');
    expect(() => watch('another')).toThrow(
      expect.objectContaining({ code: 'service_unavailable', retryAfterMs: 60_000 }),
    );
    // Whoever has five is told so, also then.
    expect(() => watch('account 0')).toThrow(expect.objectContaining({ code: 'concurrency_limit_exceeded' }));
    watchers[0]?.abort();
    expect(live.watcherCount).toBe(999);
    const next = watch('another');
    expect(() => watch('another')).toThrow('as many balances as it can');
    next.abort();
    live.close();
    expect(live.watcherCount).toBe(0);
  });

  it('are none of somebody who had left before', () => {
    const live = openBalances();
    live.watch({ accountId: 'a', isStillAllowed: async () => true, signal: AbortSignal.abort() });
    expect(live.watcherCount).toBe(0);
  });
});
