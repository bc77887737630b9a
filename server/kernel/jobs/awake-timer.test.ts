import { mock } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { standStill, tickAwake } from '../../test/tick-awake.js';
import { AwakeTimer } from './awake-timer.js';
import { withinMs } from './within-ms.js';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Time in which a process could work', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('is what a timer counts: of a standstill, however long, an eighth of its length', async () => {
    const ends: string[] = [];
    new AwakeTimer(8_000, () => ends.push('end'));
    mock.timers.tick(300_000);
    await tickAwake(6_999);
    expect(ends).toEqual([]);
    await tickAwake(1);
    expect(ends).toEqual(['end']);
    await tickAwake(20_000);
    expect(ends).toEqual(['end']);
  });

  it('is no shorter than was asked for where it cannot be divided, and is over at once where it is none', async () => {
    const ends: number[] = [];
    for (const ms of [0, 1, 10]) new AwakeTimer(ms, () => ends.push(ms));
    await tickAwake(9);
    expect(ends).toEqual([0, 1]);
    await tickAwake(1);
    expect(ends).toEqual([0, 1, 10]);
  });

  it('ends nothing once the timer is stopped, be it at its very end', async () => {
    const ends: string[] = [];
    const timers = ['early', 'late'].map((name) => new AwakeTimer(8, () => ends.push(name)));
    timers[0]?.stop();
    for (let passedMs = 0; passedMs < 8; passedMs += 1) mock.timers.tick(1);
    timers[1]?.stop();
    await nextTurn();
    expect(ends).toEqual([]);
  });
});

describe('What came while a process stood still', () => {
  it('is read before a wait for it is given up', async () => {
    const { port1, port2 } = new MessageChannel();
    const answer = new Promise<string>((resolve) => port1.once('message', resolve));
    const waited = withinMs(100, answer, 'It came too late.');
    port2.postMessage('It came in time.');
    standStill(500);
    const told = await waited.catch((error: Error) => error.message);
    port1.close();
    expect(told).toBe('It came in time.');
  });
});
