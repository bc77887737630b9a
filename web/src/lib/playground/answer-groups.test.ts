import { groupTurns, messagesFor } from './answer-groups';

const ask = (content: string) => ({ role: 'user' as const, content });
const answer = (model: string, content: string) => ({ role: 'assistant' as const, model, content });

describe('the turns of a conversation', () => {
  const turns = [ask('One?'), answer('a', 'A1'), answer('b', 'B1'), ask('Two?'), answer('a', ''), ask('Three?')];

  it('lie by their questions', () => {
    expect(groupTurns(turns).map(({ question, answers }) => [question.content, answers.length])).toEqual([
      ['One?', 2],
      ['Two?', 1],
      ['Three?', 0],
    ]);
  });

  it('go to each model with its own answers, without those that never came', () => {
    expect(messagesFor('b', turns)).toEqual([ask('One?'), { role: 'assistant', content: 'B1' }, ask('Three?')]);
  });

  it('go to a model that joins later with the first one’s answers', () => {
    expect(messagesFor('c', turns)[1]).toEqual({ role: 'assistant', content: 'A1' });
  });

  it('keep their pictures', () => {
    const pictured = { ...ask('What is it?'), images: ['data:image/png;base64,AA=='] };
    expect(messagesFor('a', [pictured])).toEqual([pictured]);
  });
});
