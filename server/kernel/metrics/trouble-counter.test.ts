import type { Logger } from '../logger.js';
import { printMetrics } from './metric.js';
import { TroubleCounter } from './trouble-counter.js';

function openLog() {
  const lines: string[] = [];
  const write = (event: string) => void lines.push(event);
  const logger: Logger = { info: write, warn: write, error: write };
  const troubles = new TroubleCounter();
  return { lines, troubles, log: troubles.watch(logger) };
}

describe('TroubleCounter', () => {
  it('counts warnings and errors by their event, and passes every line on', () => {
    const { lines, troubles, log } = openLog();
    log.info('call_completed');
    log.warn('provider_left_alone');
    log.warn('provider_left_alone');
    log.error('ledger_invariant_broken');
    expect(lines).toEqual(['call_completed', 'provider_left_alone', 'provider_left_alone', 'ledger_invariant_broken']);
    const text = printMetrics(troubles.list());
    expect(text).toContain('{event="provider_left_alone",level="warn"} 2');
    expect(text).toContain('{event="ledger_invariant_broken",level="error"} 1');
    expect(text).not.toContain('call_completed');
  });

  it('makes no series of what is not the name of an event, and no more than 500 of those that are', () => {
    const { troubles, log } = openLog();
    for (const event of ['A caller’s words', 'x'.repeat(61), 'a"} 1', '']) log.warn(event);
    const name = (n: number) => `event_${String.fromCharCode(97 + (n % 26))}${'z'.repeat(Math.floor(n / 26))}`;
    for (let n = 0; n < 700; n += 1) log.warn(name(n));
    const series = troubles.list();
    expect(series.length).toBeLessThanOrEqual(501);
    expect(series.reduce((sum, { value }) => sum + value, 0)).toBe(704);
    expect(printMetrics(series)).not.toContain('caller');
  });
});
