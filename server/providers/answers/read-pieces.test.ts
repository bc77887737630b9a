import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readPieces } from './read-pieces.js';

/** Reads pieces that are said to be whole at the first `}`. What follows the given ones never comes. */
function readSlowly(pieces: readonly string[]) {
  const left = pieces.map((text) => Buffer.from(text));
  const given: string[] = [];
  let give = () => {};
  const read = () =>
    new Promise<Buffer | null>((resolve) => {
      give = () => resolve(left.shift() ?? null);
    });
  const isWhole = () => given.join('').includes('}');
  const options = { first: left.shift() ?? null, isWhole, signal: null };
  const all = readPieces({ read }, options, (piece) => given.push(piece.toString()));
  let isOver = false;
  void all.then(() => {
    isOver = true;
  });
  return {
    given,
    /** Gives the next piece. */
    goOn: async () => {
      await nextTurn();
      give();
      await nextTurn();
    },
    isOver: async () => {
      await nextTurn();
      return isOver;
    },
  };
}

describe('An answer whose connection stays open', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('is over a second after it was whole, however many blanks follow', async () => {
    const { given, goOn, isOver } = readSlowly(['{"a":', '1}', ' ', '\n', ' ']);
    mock.timers.tick(60_000);
    expect(await isOver()).toBe(false);
    await goOn();
    for (const blank of [' ', '\n']) {
      mock.timers.tick(499);
      await goOn();
      expect(given.at(-1)).toBe(blank);
      expect(await isOver()).toBe(false);
    }
    mock.timers.tick(2);
    expect(await isOver()).toBe(true);
    expect(given.join('')).toBe('{"a":1} \n');
  });

  it('leaves no timer behind where it ends in time', async () => {
    const clear = mock.method(globalThis, 'clearTimeout');
    const { goOn, isOver } = readSlowly(['{"a":1}']);
    await goOn();
    expect(await isOver()).toBe(true);
    expect(clear.mock.calls.filter(({ arguments: [timer] }) => timer !== undefined)).toHaveLength(1);
    clear.mock.restore();
  });
});
