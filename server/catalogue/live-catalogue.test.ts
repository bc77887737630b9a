import { FakeClock } from '../kernel/clock.js';
import type { ModelCatalogue } from '../providers/model-catalogue.js';
import { LiveCatalogue } from './live-catalogue.js';

const minuteMs = 60_000;
const named = (name: string) => ({ unansweredModels: [name] }) as unknown as ModelCatalogue;

describe('Prices that are planned', () => {
  it('are in force from their time, and no more where the clock was ahead and is set right', () => {
    const clock = new FakeClock();
    const live = new LiveCatalogue(named('file'), clock);
    const startMs = clock.nowMs();
    const coming = [2, 1].map((count) => ({ fromMs: startMs + count * minuteMs, catalogue: named(`coming ${count}`) }));
    live.replace(named('now'), coming);
    const at = (ms: number) => {
      clock.setWallMs(startMs + ms);
      return live.unansweredModels[0];
    };
    expect([0, minuteMs - 1, minuteMs, 2 * minuteMs - 1, 2 * minuteMs].map(at)).toEqual([
      'now',
      'now',
      'coming 1',
      'coming 1',
      'coming 2',
    ]);
    expect([minuteMs, -minuteMs, 100 * minuteMs, 0].map(at)).toEqual(['coming 1', 'now', 'coming 2', 'now']);
    live.replace(named('changed'));
    expect(at(2 * minuteMs)).toBe('changed');
  });
});
