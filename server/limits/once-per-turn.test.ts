import { OncePerTurn } from './once-per-turn.js';

describe('OncePerTurn', () => {
  it('answers together all that came while a group was under way, each with its own answer', async () => {
    const groups: number[][] = [];
    const turns = new OncePerTurn<number, number>(async (questions) => {
      groups.push([...questions]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return questions.map((question) => question * 2);
    });
    const first = turns.ask(1);
    await new Promise((resolve) => setImmediate(resolve));
    const others = [2, 3, 4].map((question) => turns.ask(question));
    expect(await Promise.all([first, ...others])).toEqual([2, 4, 6, 8]);
    expect(groups).toEqual([[1], [2, 3, 4]]);
  });

  it('tells a failure to the group that met it, and answers the next one', async () => {
    let isFailing = true;
    const turns = new OncePerTurn<number, number>(async (questions) => {
      if (isFailing) throw new Error('away');
      return questions;
    });
    await expect(Promise.all([turns.ask(1), turns.ask(2)])).rejects.toThrow('away');
    isFailing = false;
    expect(await turns.ask(3)).toBe(3);
  });

  it('asks for no more at once than it may', async () => {
    const sizes: number[] = [];
    const turns = new OncePerTurn<number, number>(async (questions) => {
      sizes.push(questions.length);
      return questions;
    }, 10);
    await Promise.all(Array.from({ length: 25 }, (_, question) => turns.ask(question)));
    expect(sizes).toEqual([10, 10, 5]);
  });
});
