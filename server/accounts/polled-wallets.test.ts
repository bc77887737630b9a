import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../test/eventually.js';
import { AnnouncedWallets } from './announced-wallets.js';
import { PolledWallets } from './polled-wallets.js';

describe('PolledWallets', () => {
  it('asks once for all that are watched, wakes those that changed, and asks nothing while nobody watches', async () => {
    const asked: string[][] = [];
    const marks = new Map([
      ['a', '1'],
      ['b', '1'],
    ]);
    const poll = new PolledWallets({
      findMarks: async (accountIds) => {
        asked.push([...accountIds]);
        return new Map(accountIds.map((accountId) => [accountId, String(marks.get(accountId))]));
      },
      pollMs: 1,
    });
    await sleep(10);
    expect(asked).toEqual([]);
    const woken: string[] = [];
    const begin = () =>
      poll.begin(
        (accountId) => woken.push(accountId),
        () => ['a', 'b'],
      );
    begin();
    begin();
    await eventually(() => asked.length >= 5);
    // Each once, since it may have changed between its watcher's first look and ours.
    expect(woken).toEqual(['a', 'b']);
    marks.set('b', '2');
    await eventually(() => woken.length >= 3);
    expect(woken).toEqual(['a', 'b', 'b']);
    expect(new Set(asked.map((accountIds) => accountIds.join()))).toEqual(new Set(['a,b']));
    poll.rest();
    const askedThen = asked.length;
    await sleep(20);
    expect(asked).toHaveLength(askedThen);
  });

  it('looks at no more than 500 at once, and at each in its turn', async () => {
    const asked: number[] = [];
    const watched = Array.from({ length: 1_200 }, (_, index) => `account-${index}`);
    const woken = new Set<string>();
    const poll = new PolledWallets({
      findMarks: async (accountIds) => {
        asked.push(accountIds.length);
        return new Map(accountIds.map((accountId) => [accountId, '1']));
      },
      pollMs: 1,
    });
    poll.begin(
      (accountId) => woken.add(accountId),
      () => watched,
    );
    await eventually(() => asked.length >= 4);
    poll.rest();
    expect(asked.slice(0, 4)).toEqual([500, 500, 200, 500]);
    expect(woken.size).toBe(1_200);
  });
});

describe('AnnouncedWallets', () => {
  it('announces all that changed at once in one message, and one message at a time', async () => {
    const published: string[] = [];
    let isUnderWay = 0;
    const channel = {
      publish: async (message: string) => {
        isUnderWay += 1;
        expect(isUnderWay).toBe(1);
        published.push(message);
        await sleep(5);
        isUnderWay -= 1;
      },
      listen: () => {},
      rest: () => {},
    };
    const wallets = new AnnouncedWallets('here', channel, null);
    for (let index = 0; index < 300; index += 1) wallets.announce(`account-${index % 100}`);
    await eventually(() => published.length >= 1);
    wallets.announce('late');
    await eventually(() => published.length >= 2);
    const told = published.map((message) => JSON.parse(message).accountIds);
    expect(told[0]).toHaveLength(100);
    expect(told[1]).toEqual(['late']);
    for (let index = 0; index < 5_000; index += 1) wallets.announce(`account-${index}`);
    await eventually(() => published.length >= 3);
    expect(JSON.parse(String(published[2])).accountIds).toBeNull();
  });
});
