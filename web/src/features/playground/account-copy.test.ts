import type { Conversation, Conversations } from '../../lib/playground/conversations';
import type { Turn } from '../../lib/playground/turn';
import { AccountCopy } from './account-copy';
import { usualSettings } from './playground-settings';

const talk = (id: string, content = 'Why?'): Conversation<Turn> => ({ id, turns: [{ role: 'user', content }] });
const here = (...all: Conversation<Turn>[]): Conversations<Turn> => ({ currentId: all[0]?.id ?? '', all });

function open() {
  const done: string[] = [];
  const known: string[][] = [];
  const outcomes: unknown[] = [];
  const failing = { isOn: false };
  const act = async (words: string) => {
    if (failing.isOn) throw new Error('away');
    done.push(words);
  };
  const copy = new AccountCopy({
    save: (kind, name) => act(`${kind === 'CONVERSATION' ? 'save' : 'set'} ${name}`),
    forget: (id) => act(`forget ${id}`),
    onKept: (ids) => known.push([...ids]),
    onOutcome: (error) => outcomes.push(error),
  });
  const follow = async (conversations: Conversations<Turn>, settings = usualSettings) => {
    done.length = 0;
    copy.follow(settings, conversations);
    await copy.whenDone();
    return [...done];
  };
  return { copy, follow, known, outcomes, failing };
}

describe('the copy of the playground that an account keeps', () => {
  it('is brought up to date by what has changed alone, the newest conversation last', async () => {
    const { follow, known } = open();
    const [first, second] = [talk('a'), talk('b')];
    expect(await follow(here(second, first))).toEqual(['set settings', 'save a', 'save b']);
    expect(await follow(here(second, first))).toEqual([]);
    expect(await follow(here(talk('b', 'And?'), first))).toEqual(['save b']);
    expect(await follow(here(first), { ...usualSettings, system: 'Short' })).toEqual(['set settings', 'forget b']);
    expect(known.at(-1)).toEqual(['a']);
  });

  it('tells what failed, and tries it again at the next change', async () => {
    const { follow, outcomes, failing, known } = open();
    const conversation = talk('a');
    failing.isOn = true;
    await follow(here(conversation));
    expect(outcomes).toEqual([new Error('away'), new Error('away')]);
    expect(known.at(-1)).toEqual([]);
    failing.isOn = false;
    expect(await follow(here(conversation))).toEqual(['set settings', 'save a']);
    expect(outcomes.at(-1)).toBeNull();
    failing.isOn = true;
    await follow(here());
    failing.isOn = false;
    expect(await follow(here())).toEqual(['forget a']);
  });

  it('has nothing of a conversation that is too long, and of one that it has keeps what it had', async () => {
    const { follow } = open();
    expect(await follow(here(talk('a', 'x'.repeat(60_000))))).toEqual(['set settings']);
    await follow(here(talk('b')));
    expect(await follow(here(talk('b', 'x'.repeat(60_000))))).toEqual([]);
  });
});
