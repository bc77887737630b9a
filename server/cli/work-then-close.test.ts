import { mock } from 'node:test';
import { tickAwake } from '../test/tick-awake.js';
import { workThenClose } from './work-then-close.js';

describe('work of a program with a database that takes no leave', () => {
  afterEach(() => mock.timers.reset());
  const neverCloses = () => new Promise<void>(() => {});

  it('is done, or has failed by its own reason, twenty seconds later', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const ended: unknown[] = [];
    const note = (of: unknown) => void ended.push(of);
    const works = [
      workThenClose(async () => 'done', neverCloses).then(note),
      workThenClose(() => Promise.reject('silent'), neverCloses).catch(note),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    await tickAwake(19_999);
    expect(ended).toEqual([]);
    await tickAwake(1);
    await Promise.all(works);
    expect(ended).toEqual(['done', 'silent']);
  });

  it('tells what closing failed by only where nothing else failed', async () => {
    const failsToClose = () => Promise.reject(new Error('not closed'));
    await expect(workThenClose(async () => 'done', failsToClose)).rejects.toThrow('not closed');
    await expect(workThenClose(() => Promise.reject(new Error('not done')), failsToClose)).rejects.toThrow('not done');
  });
});
