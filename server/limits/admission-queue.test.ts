import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock } from '../kernel/clock.js';
import { AdmissionQueue, type WaitingCaller } from './admission-queue.js';

describe('Calls that come', () => {
  const here: WaitingCaller = { bodyBytes: 2_000, isThere: () => true, onLeave: () => {} };
  const gone = { ...here, isThere: () => false };
  let clock: FakeClock;
  let queue: AdmissionQueue;
  let ended: (string | number)[];

  beforeEach(() => {
    clock = new FakeClock();
    queue = new AdmissionQueue(clock, 8 * 1_024 * 1_024);
    ended = [];
  });

  /** Makes the turn of the event loop that goes on a long one. */
  const makeLong = () => {
    expect(queue.enter(here, false)).toBeNull();
    clock.advanceMs(20);
  };
  const enter = (name: string | number, caller = here) => {
    queue.enter(caller, false)?.then(
      () => ended.push(name),
      (error) => ended.push(error.code ?? `${name} ${error.message}`),
    );
  };

  it('begin at once while the turn of the event loop is short, however many they are', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      for (let count = 0; count < 5_000; count += 1) expect(queue.enter(here, false)).toBeNull();
      clock.advanceMs(19);
      expect(queue.enter(here, false)).toBeNull();
      await nextTurn();
    }
  });

  it('wait in a long one, and one begins in each next turn, in order, so that running calls go on between', async () => {
    makeLong();
    for (let count = 0; count < 3; count += 1) enter(count);
    expect(queue.waitingCount).toBe(3);
    await nextTurn();
    await nextTurn();
    expect(ended).toEqual([0]);
    // Nobody who comes later overtakes them.
    enter('later');
    await nextTurn();
    expect(ended).toEqual([0, 1]);
    await nextTurn();
    await nextTurn();
    expect(ended).toEqual([0, 1, 2, 'later']);
    expect(queue.enter(here, false)).toBeNull();
  });

  it('are refused after ten seconds, having cost nothing', async () => {
    const passTurn = async () => {
      clock.advanceMs(2_000);
      await nextTurn();
    };
    makeLong();
    for (const name of [1, 2, 3, 'early']) enter(name);
    await passTurn();
    enter('late');
    for (let turn = 0; turn < 4; turn += 1) await passTurn();
    expect(ended).toEqual([1, 2, 3, 'service_unavailable', 'late']);
    expect(queue.refusedCount).toBe(1);
  });

  it('are begun after a standstill of the process, however long it was', async () => {
    makeLong();
    enter(1);
    enter(2);
    clock.advanceMs(3_600_000);
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect(ended).toEqual([1, 2]);
    expect(queue.refusedCount).toBe(0);
  });

  it('wait for the next turn where they are the first of their connection, whose client may be gone', async () => {
    let isThere = true;
    const begun = queue.enter({ ...here, isThere: () => isThere }, true);
    expect(begun).not.toBeNull();
    enter('next');
    begun?.catch(() => ended.push('not begun'));
    await nextTurn();
    expect(ended).toEqual([]);
    isThere = false;
    await nextTurn();
    expect(ended).toEqual(['not begun', 'next']);
  });

  it('give their place up at once when their caller leaves', async () => {
    makeLong();
    let leave = () => {};
    const caller = {
      ...here,
      onLeave: (listener: () => void) => {
        leave = listener;
      },
    };
    enter('left', caller);
    leave();
    expect(queue.waitingCount).toBe(0);
    await nextTurn();
    expect(ended).toEqual(['left The caller has left.']);
  });

  it('are refused at once behind 2,048 that wait', () => {
    makeLong();
    for (let count = 0; count < 2_048; count += 1) void queue.enter(here, false);
    expect(() => queue.enter(here, false)).toThrow(
      expect.objectContaining({ code: 'service_unavailable', retryAfterMs: 2_000 }),
    );
  });

  it('are refused at once where as much of the bodies of those that wait may have been read as was set', async () => {
    const long = { ...here, bodyBytes: 20_000_000 };
    const unknown = { ...here, bodyBytes: null };
    const small = new AdmissionQueue(clock, 10 * 80 * 1_024 + 3_000);
    let leave = () => {};
    const leaving = {
      ...long,
      onLeave: (listener: () => void) => {
        leave = listener;
      },
    };
    small.enter(leaving, true)?.catch(() => {});
    // Of each at most 80 KiB, which is as much as Node reads.
    for (let count = 0; count < 9; count += 1) void small.enter(count % 2 ? long : unknown, false);
    const refuses = (caller: WaitingCaller) =>
      expect(() => small.enter(caller, false)).toThrow('more calls than it can');
    for (const caller of [long, unknown]) refuses(caller);
    // One of which less can have been read still has room.
    void small.enter(here, false);
    refuses(here);
    leave();
    void small.enter(unknown, false);
    refuses(unknown);
    await nextTurn();
    await nextTurn();
    void small.enter(long, false);
    refuses(long);
  });

  it('are not begun when their caller has left meanwhile, and take nobody’s turn', async () => {
    makeLong();
    for (let count = 0; count < 100; count += 1) enter(count, gone);
    enter('here');
    await nextTurn();
    await nextTurn();
    expect(ended).toHaveLength(101);
    expect(ended.at(-1)).toBe('here');
    expect(queue.refusedCount).toBe(0);
  });
});
