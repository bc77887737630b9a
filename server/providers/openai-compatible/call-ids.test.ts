import type { ChatMessage } from '../chat-types.js';
import { findNineCharacterIds } from './call-ids.js';

const called = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
});
const answered = (id: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content: 'a door' });

describe('ids of tool calls for a provider that takes nine letters and digits', () => {
  it('are such, one for each, whatever they were, and those that fit stay', () => {
    const others = [
      'call_PTLP8xhu3uwZk4l3nlnrrJha',
      'toolu_01A09q90qw90lq917835lq9',
      'functions.look:0',
      '',
      'é'.repeat(9),
    ];
    const many = Array.from({ length: 512 }, (_, index) => `call_${index}`);
    const fit = ['D681PevKs', 'abcdef012'];
    const ids = findNineCharacterIds([called(...others, ...fit, ...many), ...fit.map(answered)]);
    expect([...ids.keys()].toSorted()).toEqual([...others, ...fit, ...many].toSorted());
    expect(new Set(ids.values()).size).toBe(ids.size);
    for (const id of ids.values()) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    for (const id of fit) expect(ids.get(id)).toBe(id);
  });

  it('are the same when the conversation has gone on', () => {
    const turn = [called('call_a', 'call_b'), answered('call_a'), answered('call_b')];
    const first = findNineCharacterIds(turn);
    const second = findNineCharacterIds([...turn, called('call_c'), answered('call_c')]);
    expect([...second.entries()].slice(0, 2)).toEqual([...first.entries()]);
  });

  it('are never those that a call of the same conversation has already', () => {
    const usual = findNineCharacterIds([called('call_a')]).get('call_a') ?? '';
    const ids = findNineCharacterIds([called('call_a'), answered('call_a'), called(usual)]);
    expect(ids.get(usual)).toBe(usual);
    expect(ids.get('call_a')).not.toBe(usual);
    expect(ids.get('call_a')).toMatch(/^[a-zA-Z0-9]{9}$/);
  });
});
