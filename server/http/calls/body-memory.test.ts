import { CallWaiters } from '../../idempotency/call-waiters.js';
import type { AppError } from '../../kernel/app-error.js';
import { BodyMemory } from './body-memory.js';

const kilobyte = 1_024;

const codeOf = (work: () => unknown): string | null => {
  try {
    work();
  } catch (error) {
    return (error as AppError).code;
  }
  return null;
};

describe('The memory for bodies', () => {
  it('takes what a body grows to once, and is empty again when all have been given back', () => {
    const memory = new BodyMemory(1_000);
    const room = memory.open('a');
    for (const bytes of [10, 50, 50, 20, 200]) room.growTo(bytes);
    expect(memory.bytes).toBe(200);
    room.release();
    room.release();
    expect(memory.bytes).toBe(0);
  });

  it('leaves three quarters to others, whatever one account sends', () => {
    const memory = new BodyMemory(1_000);
    const rooms = Array.from({ length: 2 }, () => memory.open('a'));
    rooms[0]?.growTo(200);
    expect(codeOf(() => rooms[1]?.growTo(51))).toBe('concurrency_limit_exceeded');
    expect(codeOf(() => memory.take('b', 250))).toBeNull();
    expect(memory.bytes).toBe(450);
    rooms[0]?.release();
    expect(codeOf(() => rooms[1]?.growTo(250))).toBeNull();
  });

  it('has a network take a part alone of what an address holds where anybody may post, and all of them no more than its share', () => {
    const share = 16 * 1024 * kilobyte;
    const memory = new BodyMemory(4 * share);
    const take = (network: string, bytes: number) => codeOf(() => memory.takeFrom(network, 'hook', bytes));
    const giveBack = memory.takeFrom('a', 'hook', share / 16);
    expect([take('a', 1), take('b', 1)]).toEqual(['concurrency_limit_exceeded', null]);
    for (let network = 0; network < 14; network += 1) expect(take(`c${network}`, share / 16)).toBeNull();
    expect(take('d', share / 16)).toBe('service_unavailable');
    expect(take('d', share / 16 - 1)).toBeNull();
    giveBack();
    giveBack();
    expect([take('a', 1), memory.bytes]).toEqual([null, share - share / 16 + 1]);
  });

  it('holds the room of an answer until the last of those has it who waited for it as well', () => {
    const memory = new BodyMemory(1_000);
    const [room, waiters] = [memory.open('a'), new CallWaiters()];
    const leave = [waiters.enter(), waiters.enter()];
    room.growTo(200);
    room.holdFor(waiters);
    room.release();
    leave[0]?.();
    expect(memory.bytes).toBe(200);
    leave[1]?.();
    expect(memory.bytes).toBe(0);
    room.growTo(100);
    room.release();
    expect(memory.bytes).toBe(0);
  });

  it('gives half of each share at most to what can be done without, and takes nothing where there is no more', () => {
    const memory = new BodyMemory(1_000);
    const room = memory.open('a');
    expect([room.tryGrowBy(125), room.tryGrowBy(1)]).toEqual([true, false]);
    expect(codeOf(() => memory.take('a', 125))).toBeNull();
    memory.take('b', 200);
    expect([memory.open('c').tryGrowBy(51), memory.open('c').tryGrowBy(50)]).toEqual([false, true]);
    expect(memory.bytes).toBe(500);
    room.release();
    expect(memory.bytes).toBe(375);
  });

  it('refuses with a time to come again what all accounts together have no room for', () => {
    const memory = new BodyMemory(1_000);
    const releases = ['a', 'b', 'c', 'd'].map((owner) => memory.take(owner, 240));
    expect(codeOf(() => memory.take('e', 41))).toBe('service_unavailable');
    releases[0]?.();
    const release = memory.take('e', 41);
    for (const giveBack of [...releases, release]) giveBack();
    expect(memory.bytes).toBe(0);
  });

  it('keeps a quarter for small bodies, however many large ones are announced', () => {
    const memory = new BodyMemory(4_000 * kilobyte);
    for (const owner of ['a', 'b', 'c']) memory.take(owner, 1_000 * kilobyte);
    expect(codeOf(() => memory.take('d', 257 * kilobyte))).toBe('service_unavailable');
    expect(codeOf(() => memory.take('d', 200 * kilobyte))).toBeNull();
  });

  it('holds one body of the largest size for each account, however little there is, and refuses for good what never fits', () => {
    const memory = new BodyMemory(1_000, 500);
    const room = memory.open('a');
    expect(room.largestBytes).toBe(500);
    expect(codeOf(() => room.growTo(500))).toBeNull();
    expect(codeOf(() => room.growBy(1))).toBe('request_too_large');
    expect(codeOf(() => memory.take('a', 1))).toBe('concurrency_limit_exceeded');
    expect(memory.bytes).toBe(500);
  });

  it('counts an answer beside its request, as far as one alone has room, so that none keeps itself out', () => {
    const memory = new BodyMemory(1_000, 500);
    const [first, second] = [memory.open('a'), memory.open('a')];
    first.growTo(300);
    first.growForAnswer(10_000);
    expect(memory.bytes).toBe(500);
    expect(codeOf(() => second.growForAnswer(1))).toBe('concurrency_limit_exceeded');
    first.release();
    second.growForAnswer(200);
    expect(memory.bytes).toBe(200);
  });
});
