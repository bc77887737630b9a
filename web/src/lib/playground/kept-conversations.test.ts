import type { Conversation } from './conversations';
import { mergeConversations, readConversation, writeConversation } from './kept-conversations';
import type { Turn } from './turn';

const talk = (id: string, ...words: string[]): Conversation<Turn> => {
  return { id, turns: words.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })) };
};
const idsOf = ({ all }: { readonly all: readonly Conversation<Turn>[] }) => all.map(({ id }) => id);

describe('a conversation that the account keeps', () => {
  it('comes back as it was, without its pictures', () => {
    const figures = { promptTokens: 3, completionTokens: 4, credits: null, firstTokenMs: 10, totalMs: 20 };
    const turns: Turn[] = [
      { role: 'user', content: 'What is this?', images: ['data:image/png;base64,AAAA'] },
      {
        role: 'assistant',
        content: 'A dot.',
        model: 'demo',
        callId: 'call_1',
        figures: { ...figures, finishReason: 'stop' },
      },
    ];
    const content = writeConversation({ id: 'a', turns }) ?? '';
    expect(content).not.toContain('data:image');
    expect(readConversation({ name: 'a', content })).toEqual({
      id: 'a',
      turns: [{ role: 'user', content: 'What is this?' }, turns[1]],
    });
  });

  it('is none when it is too long, by bytes, or cannot be read', () => {
    expect(writeConversation(talk('a', 'x'.repeat(59_000)))).not.toBeNull();
    expect(writeConversation(talk('a', 'ü'.repeat(59_000)))).toBeNull();
    const contents = [
      ...['', '[]', '{}', '{"turns":[]}', '{"turns":[{"role":"system","content":""}]}'],
      '{"turns":[{"role":"user","content":"a","images":["https://elsewhere.example/"]}]}',
      '{"turns":[{"role":"assistant","content":"a","figures":{"promptTokens":"many"}}]}',
    ];
    for (const content of contents) expect(readConversation({ name: 'a', content })).toBeNull();
  });
});

describe('conversations of a tab and of the account', () => {
  it('are together, the newest first, and the open one stays open', () => {
    const here = { currentId: 'c', all: [talk('c', 'Here')] };
    const { conversations, kept } = mergeConversations(here, [talk('a', 'Old'), talk('d', 'New')], []);
    expect(conversations.currentId).toBe('c');
    expect(idsOf(conversations)).toEqual(['d', 'c', 'a']);
    expect(kept.map(({ id }) => id)).toEqual(['a', 'd']);
  });

  it('are as long as they have become in either, and go where they were deleted elsewhere', () => {
    const here = { currentId: 'a', all: [talk('c', 'Deleted'), talk('b', 'One', 'Two', 'Three'), talk('a', 'One')] };
    const ofAccount = [talk('a', 'One', 'Two'), talk('b', 'One')];
    const { conversations, kept } = mergeConversations(here, ofAccount, ['a', 'b', 'c']);
    expect(conversations.all).toEqual([talk('b', 'One', 'Two', 'Three'), talk('a', 'One', 'Two')]);
    expect(kept).toEqual([talk('a', 'One', 'Two')]);
  });
});
