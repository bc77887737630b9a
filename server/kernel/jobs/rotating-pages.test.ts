import { RotatingPages } from './rotating-pages.js';

describe('Pages of rows that stay', () => {
  const read = (rows: readonly string[]) => async (after: string, rowsMax: number) =>
    rows.filter((row) => row > after).slice(0, rowsMax);

  it('go round, so that none keeps those behind it waiting, and a last page that is not full ends a round', async () => {
    const pages = new RotatingPages<string>(2, (row) => row);
    const rounds = [];
    for (let round = 0; round < 5; round += 1) rounds.push(await pages.next(read(['a', 'b', 'c'])));
    expect(rounds).toEqual([['a', 'b'], ['c'], ['a', 'b'], ['c'], ['a', 'b']]);
  });

  it('begin anew where nothing is behind the last one', async () => {
    const pages = new RotatingPages<string>(2, (row) => row);
    expect(await pages.next(read(['a', 'b']))).toEqual(['a', 'b']);
    expect(await pages.next(read(['a', 'b']))).toEqual(['a', 'b']);
    expect(await pages.next(read([]))).toEqual([]);
    expect(await pages.next(read(['a']))).toEqual(['a']);
  });
});
