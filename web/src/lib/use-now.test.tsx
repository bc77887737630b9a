/** @jest-environment jsdom */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { act, renderHook } from '@testing-library/react';
import { spanOf } from './reports/time-range';
import { usePresentHour } from './use-now';

const hourMs = 3_600_000;
const openedAtMs = Date.UTC(2026, 10, 3, 13, 58);

describe('usePresentHour', () => {
  beforeEach(() => jest.useFakeTimers({ now: openedAtMs }));
  afterEach(() => jest.useRealTimers());

  it('is another hour soon after the next one has begun, so that a range which ends now goes on with the page', () => {
    const { result } = renderHook(() => usePresentHour());
    expect(result.current).toBe(Date.UTC(2026, 10, 3, 13));
    act(() => jest.advanceTimersByTime(hourMs));
    expect(result.current).toBe(Date.UTC(2026, 10, 3, 14));
    expect(spanOf({ preset: '24h' }, result.current).toMs).toBeGreaterThan(Date.now());
  });

  it('draws nothing anew within an hour', () => {
    let drawn = 0;
    renderHook(() => {
      drawn += 1;
      return usePresentHour();
    });
    act(() => jest.advanceTimersByTime(60_000));
    expect(drawn).toBe(1);
  });

  it('stays while it is held, and is the present one as soon as it is not', () => {
    const { result, rerender } = renderHook(({ isHeld }) => usePresentHour(isHeld), { initialProps: { isHeld: true } });
    act(() => jest.advanceTimersByTime(2 * hourMs));
    expect(result.current).toBe(Date.UTC(2026, 10, 3, 13));
    rerender({ isHeld: false });
    expect(result.current).toBe(Date.UTC(2026, 10, 3, 15));
  });
});

describe('Every page', () => {
  it('takes the time from the clock, and does not keep that at which it was opened', () => {
    const folder = join(__dirname, '..');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
    const keeping = files.filter((name) =>
      /useState\(\(\) => [^;\n]*Date\.now\(\)/.test(readFileSync(join(folder, name), 'utf8')),
    );
    expect(keeping).toEqual([]);
  });
});
