import { readMessagesTurns } from './messages-turns.js';

const turnsOf = (content: unknown, more: object = {}) =>
  readMessagesTurns({
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call', content, ...more }] }],
  }).turns;

describe('a result of a tool, as Anthropic’s clients send it', () => {
  it('becomes a message of its own, with its mark for the cache at its end', () => {
    const blocks = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ];
    const mark = { cache_control: { type: 'ephemeral' } };
    expect(turnsOf(blocks, mark)).toEqual([
      { role: 'tool', tool_call_id: 'call', content: [blocks[0], { ...blocks[1], ...mark }] },
    ]);
  });

  it('leaves what is no block as it came, for the check to refuse: a long text costs no more than its length', () => {
    expect(turnsOf(['a text'])).toEqual([{ role: 'tool', tool_call_id: 'call', content: ['a text'] }]);
  });

  it('has 2,048 blocks at most, and one more is refused by name', () => {
    const many = Array(2_048).fill({ type: 'text', text: 'x' });
    expect(turnsOf(many)).toHaveLength(1);
    expect(() => turnsOf([...many, many[0]])).toThrow(
      "Invalid 'messages[0].content[0].content': must have at most 2,048 items.",
    );
  });
});
