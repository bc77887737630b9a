import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock } from '../../kernel/clock.js';
import type { LogFields } from '../../kernel/logger.js';
import { tickAwake } from '../../test/tick-awake.js';
import { OperationSeats } from './operation-seats.js';

describe('GraphQL operations that come at once', () => {
  let seats: OperationSeats;
  let begun: string[];
  let leaves: Map<string, () => void>;
  let ends: Map<string, () => void>;
  let clock: FakeClock;
  let lines: [event: string, fields: LogFields | undefined][];

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    [clock, lines] = [new FakeClock(), []];
    seats = new OperationSeats({ warn: (event, fields) => lines.push([event, fields]) }, clock);
    begun = [];
    leaves = new Map();
    ends = new Map();
  });
  afterEach(() => mock.timers.reset());

  const enter = (owner: string, name: string, bytes = 100) => {
    const onLeave = (listener: () => void) => leaves.set(name, listener);
    const work = async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    };
    seats.run({ owner, bytes }, onLeave, work).then(
      () => !ends.has(name) && begun.push(`${name} left`),
      (error) => begun.push(error.code),
    );
  };
  const enterMany = (owner: string, count: number) => {
    for (let at = 0; at < count; at += 1) enter(owner, `${owner}${at}`);
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await nextTurn();
  };
  const leave = async (name: string) => {
    await end(name);
    leaves.get(name)?.();
    await nextTurn();
  };
  const refusal = (owner: string, bytes = 100) =>
    seats
      .run(
        { owner, bytes },
        () => {},
        async () => {},
      )
      .catch(({ code }) => code);

  it('run eight of one asker, and the next as each of them leaves, in order', async () => {
    enterMany('a', 11);
    expect(begun).toHaveLength(8);
    await leave('a3');
    expect(begun.slice(8)).toEqual(['a8']);
    // Told twice, it leaves once.
    await leave('a3');
    expect(begun).toHaveLength(9);
    await leave('a8');
    await leave('a0');
    expect(begun.slice(8)).toEqual(['a8', 'a9', 'a10']);
  });

  it('do not wait behind those of another asker', async () => {
    enterMany('a', 100);
    enterMany('b', 9);
    expect(begun).toHaveLength(16);
    await leave('b0');
    expect(begun.at(-1)).toBe('b8');
  });

  it('give their place in the line up when their asker leaves', async () => {
    enterMany('a', 10);
    await leave('a8');
    await leave('a0');
    expect(begun.slice(8)).toEqual(['a8 left', 'a9']);
    // Nothing of the one that never ran is left: of eight, as many run.
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a9']) await leave(name);
    enterMany('b', 8);
    enterMany('c', 8);
    enterMany('a', 9);
    expect(begun.filter((name) => name.startsWith('a')).length).toBe(10 + 8);
  });

  it('are refused at once behind 512 of the same asker, and behind 2,048 in all', async () => {
    enterMany('a', 520);
    expect(await refusal('a')).toBe('concurrency_limit_exceeded');
    for (let owner = 0; owner < 3; owner += 1) enterMany(`b${owner}-`, 520);
    enterMany('c', 8);
    expect(await refusal('c')).toBe('service_unavailable');
    enter('d', 'd0');
    expect(begun.at(-1)).toBe('d0');
  });

  it('are refused at once behind 4 MiB of bodies of the same asker, and behind 16 MiB in all', async () => {
    const mebibyte = 1024 * 1024;
    enterMany('a', 8);
    for (let at = 0; at < 4; at += 1) enter('a', `a large ${at}`, mebibyte);
    expect(await refusal('a', 1)).toBe('concurrency_limit_exceeded');
    for (let owner = 0; owner < 3; owner += 1) {
      enterMany(`b${owner}-`, 8);
      enter(`b${owner}-`, `b${owner} large`, 4 * mebibyte);
    }
    enterMany('c', 8);
    expect(await refusal('c', 1)).toBe('service_unavailable');
    // What has begun waits no more.
    await leave('a0');
    expect(begun.at(-1)).toBe('a large 0');
    enter('c', 'c waits', mebibyte);
    await leave('c0');
    expect(begun.at(-1)).toBe('c waits');
  });

  it('are told to the operator in figures, and those that are refused in a line a minute with their number', async () => {
    const figures = () => seats.listMetrics().map(({ name, value }) => `${name} ${value}`);
    enterMany('a', 520);
    for (let times = 0; times < 300; times += 1) await refusal('a');
    expect(figures()).toEqual([
      'tollgate_graphql_running 8',
      'tollgate_graphql_waiting 512',
      'tollgate_graphql_not_begun_total 300',
    ]);
    const facts = { code: 'concurrency_limit_exceeded', running: 8, waiting: 512 };
    expect(lines).toEqual([['graphql_not_begun', { requests: 1, ...facts }]]);
    clock.advanceMs(60_000);
    await refusal('a');
    expect(lines.slice(1)).toEqual([['graphql_not_begun', { requests: 300, ...facts }]]);
    await tickAwake(20_000);
    expect(figures()).toEqual([
      'tollgate_graphql_running 8',
      'tollgate_graphql_waiting 0',
      `tollgate_graphql_not_begun_total ${301 + 512}`,
    ]);
  });

  it('run 256 in all', async () => {
    for (let owner = 0; owner < 33; owner += 1) enterMany(`${owner}-`, 8);
    expect(begun).toHaveLength(256);
    // Also where the answer of one that has run is read slowly.
    await end('0-0');
    expect(begun.at(-1)).toBe('32-0');
  });

  it('keep their place until they have run and their answer has left, whichever comes last', async () => {
    enterMany('a', 10);
    leaves.get('a0')?.();
    await nextTurn();
    expect(begun).toHaveLength(8);
    await end('a0');
    expect(begun.slice(8)).toEqual(['a8']);
    await end('a1');
    expect(begun).toHaveLength(9);
    leaves.get('a1')?.();
    await nextTurn();
    expect(begun.slice(8)).toEqual(['a8', 'a9']);
  });

  it('are begun after a standstill of the process, however long it was, and refused where their turn does not come in time', async () => {
    enterMany('a', 10);
    mock.timers.tick(300_000);
    await nextTurn();
    expect(begun).toHaveLength(8);
    await leave('a0');
    expect(begun.slice(8)).toEqual(['a8']);
    await tickAwake(20_000);
    expect(begun.slice(9)).toEqual(['service_unavailable']);
  });

  it('are refused after 20 seconds, and take no place then', async () => {
    enterMany('a', 9);
    await tickAwake(19_999);
    expect(begun).toHaveLength(8);
    await tickAwake(1);
    expect(begun.at(-1)).toBe('service_unavailable');
    await leave('a8');
    await leave('a0');
    enter('a', 'next');
    expect(begun.at(-1)).toBe('next');
    enter('a', 'behind');
    expect(begun.at(-1)).toBe('next');
  });
});
