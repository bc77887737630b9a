import { FakeClock } from '../clock.js';
import { SeldomTold } from './seldom-told.js';

describe('What happens often', () => {
  it('is told of at once, and then once a minute with how often it has happened since', () => {
    const clock = new FakeClock();
    const line = new SeldomTold(clock);
    const told: number[] = [];
    const happen = (count: number) => {
      for (let at = 0; at < count; at += 1) line.note((times) => told.push(times));
    };
    happen(1_000);
    expect(told).toEqual([1]);
    clock.advanceMs(59_999);
    happen(1);
    expect(told).toEqual([1]);
    clock.advanceMs(1);
    happen(1);
    expect(told).toEqual([1, 1_001]);
    clock.advanceMs(600_000);
    happen(2);
    expect(told).toEqual([1, 1_001, 1]);
  });
});
