import { QuestionBatcher } from './question-batcher.js';

describe('QuestionBatcher', () => {
  it('answers together all that came while a group was under way, each with its own answer', async () => {
    const groups: number[][] = [];
    const batcher = new QuestionBatcher<number, number>(async (questions) => {
      groups.push([...questions]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return questions.map((question) => question * 2);
    });
    const first = batcher.ask(1);
    await new Promise((resolve) => setImmediate(resolve));
    const others = [2, 3, 4].map((question) => batcher.ask(question));
    expect(await Promise.all([first, ...others])).toEqual([2, 4, 6, 8]);
    expect(groups).toEqual([[1], [2, 3, 4]]);
  });

  it('tells a failure to the group that met it, and answers the next one', async () => {
    let isFailing = true;
    const batcher = new QuestionBatcher<number, number>(async (questions) => {
      if (isFailing) throw new Error('away');
      return questions;
    });
    await expect(Promise.all([batcher.ask(1), batcher.ask(2)])).rejects.toThrow('away');
    isFailing = false;
    expect(await batcher.ask(3)).toBe(3);
  });

  it('asks for no more at once than it may', async () => {
    const sizes: number[] = [];
    const batcher = new QuestionBatcher<number, number>(async (questions) => {
      sizes.push(questions.length);
      return questions;
    }, 10);
    await Promise.all(Array.from({ length: 25 }, (_, question) => batcher.ask(question)));
    expect(sizes).toEqual([10, 10, 5]);
  });
});
