import { SeededChoices } from '../test/seeded-choices.js';
import { MomentList } from './moment-list.js';
import { windowMs } from './sliding-window.js';

const startMs = 1_800_000_000_000;

describe('MomentList', () => {
  // 60: each moment as it is. 5,000: whole seconds.
  it.each([3, 60, 5_000])('of %i a window lets no more in within any 60 seconds, and all that many', (limit) => {
    const choices = new SeededChoices(limit);
    let nowMs = startMs;
    let packed = '';
    const entered: number[] = [];
    while (nowMs < startMs + 4 * windowMs) {
      const list = new MomentList(packed, nowMs);
      const wanted = choices.below(limit);
      for (let request = 0; request < wanted; request += 1) if (list.enter(limit).isEntered) entered.push(nowMs);
      packed = list.pack();
      nowMs += 1 + choices.below(7_000);
    }
    expect(entered.length).toBeGreaterThan(2 * limit);
    // Of any that many and one more, the first and the last lie a window apart.
    const spans = entered.slice(limit).map((lastMs, index) => lastMs - (entered[index] ?? 0));
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(windowMs);
    expect(packed.length).toBeLessThan(20_000);
  });

  it('keeps a busy account in a row of 61 moments, and takes no place from it for more than a second too long', () => {
    const perSecond = 20;
    let packed = '';
    for (let request = 0; request < 70 * perSecond; request += 1) {
      const list = new MomentList(packed, startMs + (request * 1_000) / perSecond);
      const { isEntered, count } = list.enter(5_000);
      packed = list.pack();
      expect(isEntered).toBe(true);
      expect(count).toBeLessThanOrEqual(61 * perSecond + 1);
    }
    expect(packed.split(' ').length).toBeLessThanOrEqual(62);
    expect(packed.length).toBeLessThan(1_000);
  });

  it('says when the next place is free, and it is', () => {
    const list = new MomentList('', startMs);
    for (let request = 0; request < 60; request += 1) list.enter(60);
    const { isEntered, oldestLeavesInMs } = list.enter(60);
    expect({ isEntered, oldestLeavesInMs }).toEqual({ isEntered: false, oldestLeavesInMs: windowMs });
    expect(new MomentList(list.pack(), startMs + oldestLeavesInMs - 1).enter(60).isEntered).toBe(false);
    expect(new MomentList(list.pack(), startMs + oldestLeavesInMs).enter(60).isEntered).toBe(true);
  });

  it('reads what the version before has written, and writes up to 600 requests so that it can read them', () => {
    const moments = Array.from({ length: 60 }, (_, index) => (startMs + index).toString(36)).join(' ');
    expect(new MomentList(moments, startMs + 100).enter(60).isEntered).toBe(false);
    const list = new MomentList(moments, startMs + 100);
    for (let request = 0; request < 540; request += 1) list.enter(600);
    const asBefore = list
      .pack()
      .split(' ')
      .map((moment) => Number.parseInt(moment, 36));
    expect(asBefore).toHaveLength(600);
  });

  it('forgets what was written before the clock was set back by more than a window', () => {
    const list = new MomentList((startMs + 2 * windowMs).toString(36), startMs);
    expect(list.enter(1)).toEqual({ isEntered: true, count: 1, oldestLeavesInMs: windowMs });
  });

  it('tells nobody to wait longer than a window and the second of its rounding, where the clock was set back by less', () => {
    const list = new MomentList((startMs + windowMs / 2).toString(36), startMs);
    expect(list.enter(1)).toEqual({ isEntered: false, count: 1, oldestLeavesInMs: windowMs + 1_000 });
  });
});
