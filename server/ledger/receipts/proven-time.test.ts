import type { EntityManager } from 'typeorm';
import { FakeClock } from '../../kernel/clock.js';
import { ProvenTime } from './proven-time.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('A time that has surely come', () => {
  const clock = new FakeClock();
  let rowsAtMs: number[] = [];
  const query = async (_: string, [untilMs]: [number]) => [
    { at_ms: Math.max(0, ...rowsAtMs.filter((atMs) => atMs <= untilMs)) || null },
  ];
  const reader = { query, connection: { options: { type: 'better-sqlite3' } } } as unknown as EntityManager;
  const open = () => new ProvenTime({ reader }, clock);
  const jump = (ms: number) => clock.setWallMs(clock.nowMs() + ms);

  beforeEach(() => {
    rowsAtMs = [];
  });

  it('is that of the newest row that is a day old, at once after a start', async () => {
    rowsAtMs = [clock.nowMs() - 40 * dayMs, clock.nowMs() - 26 * hourMs, clock.nowMs() - hourMs];
    expect(await open().read()).toEqual({
      nowMs: clock.nowMs(),
      provenMs: clock.nowMs() - 26 * hourMs,
      believedMs: clock.nowMs() - 26 * hourMs,
    });
  });

  it('is not moved by a jump of the clock, nor by what is written after it, for a day', async () => {
    const time = open();
    const lastMs = clock.nowMs() - hourMs;
    rowsAtMs = [lastMs];
    jump(95 * dayMs);
    for (let hour = 0; hour < 24; hour += 1) {
      rowsAtMs.push(clock.nowMs());
      expect((await time.read()).provenMs).toBe(lastMs);
      clock.advanceMs(hourMs);
    }
    clock.advanceMs(hourMs);
    expect((await time.read()).provenMs).toBe(clock.nowMs() - dayMs);
  });

  it('is that of a clock that this process has watched for a day, where nothing is written', async () => {
    const time = open();
    for (let hour = 0; hour < 24; hour += 1) {
      expect((await time.read()).provenMs).toBe(0);
      clock.advanceMs(hourMs);
    }
    expect(await time.read()).toMatchObject({ provenMs: clock.nowMs() - dayMs, believedMs: clock.nowMs() });
    jump(2 * hourMs);
    expect(await time.read()).toMatchObject({ provenMs: 0, believedMs: 0 });
    jump(-2 * hourMs);
    expect((await time.read()).provenMs).toBe(0);
  });
});
