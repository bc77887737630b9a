import { beginAnother, type Conversations, conversationsMax, currentTurns, titleOf, withTurns } from './conversations';

type Turn = { readonly content: string };
const none: Conversations<Turn> = beginAnother({ all: [] });
const say = (kept: Conversations<Turn>, ...words: string[]) =>
  withTurns(
    kept,
    words.map((content) => ({ content })),
  );

describe('conversations', () => {
  it('are kept beside each other, each with its own words', () => {
    const first = say(none, 'What is a toll?');
    const second = say(beginAnother(first), 'And a gate?');
    expect(second.all.map(titleOf)).toEqual(['And a gate?', 'What is a toll?']);
    expect(currentTurns(second)).toEqual([{ content: 'And a gate?' }]);
    const back = { ...second, currentId: first.currentId };
    expect(currentTurns(say(back, 'What is a toll?', 'Money.'))).toHaveLength(2);
    expect(say(back, 'What is a toll?', 'Money.').all).toHaveLength(2);
  });

  it('begin empty, and are none without a word', () => {
    const another = beginAnother(say(none, 'One'));
    expect(currentTurns(another)).toEqual([]);
    expect(say(another).all).toHaveLength(1);
    expect(say(say(none, 'One')).all).toEqual([]);
  });

  it('begin under names that no other browser gives', () => {
    const ids = Array.from({ length: 100 }, () => beginAnother(none).currentId);
    expect(new Set(ids).size).toBe(100);
  });

  it('are twenty at most, the newest ones', () => {
    let kept = none;
    for (let n = 0; n < 30; n += 1) kept = say(beginAnother(kept), `Question ${n}`);
    expect(kept.all).toHaveLength(conversationsMax);
    expect(currentTurns(kept)).toEqual([{ content: 'Question 29' }]);
  });

  it('are called as they begin', () => {
    expect(titleOf({ id: '1', turns: [{ content: `  ${'long '.repeat(40)}` }] }).length).toBeLessThan(52);
  });
});
