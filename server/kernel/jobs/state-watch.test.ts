import { silentLogger } from '../logger.js';
import { StateWatch } from './state-watch.js';

describe('What is kept in memory of the database', () => {
  const told: string[] = [];
  const logger = {
    ...silentLogger,
    error: (event: string) => void told.push(event),
    info: (event: string) => void told.push(event),
  };
  let known = '';
  let read: () => Promise<string | null>;
  const open = (timeoutMs = 5_000) =>
    new StateWatch<string>({
      ...{ name: 'prices', read: () => read(), logger, pollMs: 1_000_000, timeoutMs },
      takeOver: (state) => {
        if (state === 'wrong') throw new Error('These prices are wrong.');
        known = state;
      },
    });
  beforeEach(() => {
    told.length = 0;
    known = '';
    read = async () => 'first';
  });

  it('is there once the watch has started, which fails where nothing can be read', async () => {
    const watch = open();
    await watch.start();
    expect([known, watch.fault]).toEqual(['first', null]);
    await watch.close();
    read = () => Promise.reject(new Error('The database is away.'));
    await expect(open().start()).rejects.toThrow('The database is away.');
  });

  it.each([
    ['cannot be read', async () => Promise.reject(new Error('away')), 'away'],
    ['is never answered', () => new Promise<string>(() => {}), 'The database did not answer in time.'],
    ['cannot be taken over', async () => 'wrong', 'These prices are wrong.'],
  ])(
    'stays in force while what stands there %s; the log is told once, and once when it is well again',
    async (_, fails, fault) => {
      const watch = open(20);
      await watch.start();
      read = fails;
      for (let look = 0; look < 3; look += 1) await watch.lookAfterChange();
      await expect(watch.look()).rejects.toThrow(fault);
      expect([known, watch.fault, told]).toEqual(['first', fault, ['prices_unread']]);
      read = async () => 'second';
      await watch.look();
      expect([known, watch.fault, told]).toEqual(['second', null, ['prices_unread', 'prices_read_again']]);
      await watch.close();
    },
  );

  it('is not what an answer brings that came too late', async () => {
    const watch = open(20);
    await watch.start();
    let answer = (_: string) => {};
    read = () => new Promise((resolve) => (answer = resolve));
    await watch.lookAfterChange();
    read = async () => 'second';
    await watch.look();
    answer('late');
    await watch.look();
    expect(known).toBe('second');
    await watch.close();
  });

  it('holds a change that was made before the look, also where a look is under way', async () => {
    let stands = 'first';
    let pass = () => {};
    read = async () => {
      const state = stands;
      await new Promise<void>((resolve) => (pass = resolve));
      return state;
    };
    const watch = open();
    const started = watch.start();
    pass();
    await started;
    const early = watch.look();
    await Promise.resolve();
    stands = 'second';
    const late = watch.look();
    pass();
    await early;
    await new Promise(setImmediate);
    pass();
    await late;
    expect(known).toBe('second');
    await watch.close();
  });
});
