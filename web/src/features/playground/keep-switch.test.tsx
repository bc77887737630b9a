/** @jest-environment jsdom */
import { cleanup, screen, waitFor } from '@testing-library/react';
import { answer, answerLost, renderPage } from '../../test/render-page';
import { PlaygroundPage } from './playground-page';

const model = { __typename: 'Model', tier: 'lower', endpoint: 'CHAT', creditsPerThousandTokens: 1, isDemo: true };
const models = ['demo-small', 'demo-large'].map((id) => ({
  ...{ ...model, id, maxOutputTokens: 4_096 },
  capabilities: { __typename: 'ModelCapabilities', vision: false },
}));
const viewer = { __typename: 'Account', id: 'acct_1', balance: { __typename: 'Balance', available: 5, held: 0 } };
const wait = { timeout: 5_000 };
const talk = (words: string) => ({ turns: [{ role: 'user', content: words }] });

function open(kept: { settings?: object; conversations?: Readonly<Record<string, object>> } = {}, role = 'OWNER') {
  const item = (name: string, content: object) => ({
    ...{ __typename: 'PersonalItem', name, content: JSON.stringify(content) },
  });
  return renderPage(
    <PlaygroundPage />,
    {
      Playground: answer({ data: { viewer, models } }),
      Role: answer({ data: { viewer: { ...viewer, role } } }),
      KeptPlayground: answer({
        data: {
          settings: kept.settings ? [item('settings', kept.settings)] : [],
          conversations: Object.entries(kept.conversations ?? {}).map(([name, content]) => item(name, content)),
        },
      }),
      SavePersonalItem: answer({ data: { savePersonalItem: [] } }),
      DeletePersonalItems: answer({ data: { deletePersonalItems: true } }),
      DeleteConversation: answer({ data: { deletePersonalItem: [] } }),
    },
    '/playground',
  );
}

// By its label: to look for roles in the whole page takes jsdom longer than it waits.
const findSwitch = () => screen.findByLabelText<HTMLInputElement>(/^Keep in my account/, {}, wait);

describe('Keep in my account', () => {
  beforeEach(() => {
    sessionStorage.clear();
    Object.assign(window, { scrollTo: () => undefined });
  });

  it('is off until somebody turns it on, and then keeps the settings and the conversations of the tab', async () => {
    const conversations = {
      currentId: 'b',
      all: [
        { id: 'b', ...talk('Second') },
        { id: 'a', ...talk('First') },
      ],
    };
    sessionStorage.setItem('tollgate.draft.playground.conversations', JSON.stringify(conversations));
    const { user, asked } = open();
    const saved = () => asked.flatMap(({ name, variables }) => (name === 'SavePersonalItem' ? [variables.input] : []));
    const keep = await findSwitch();
    await waitFor(() => expect(keep.disabled).toBe(false), wait);
    expect(keep.checked).toBe(false);
    expect(saved()).toEqual([]);
    await user.click(keep);
    await waitFor(() => expect(saved()).toHaveLength(3), wait);
    expect(saved()).toEqual([
      { kind: 'PLAYGROUND_SETTINGS', name: 'settings', content: expect.stringContaining('"model":"demo-small"') },
      { kind: 'CONVERSATION', name: 'a', content: JSON.stringify(talk('First')) },
      { kind: 'CONVERSATION', name: 'b', content: JSON.stringify(talk('Second')) },
    ]);
  });

  it('brings what the account keeps into another browser, and deletes there what is cleared here', async () => {
    const { user, asked } = open({
      settings: { model: 'demo-large', system: 'Be brief.' },
      conversations: { x: talk('From elsewhere') },
    });
    await screen.findByDisplayValue('Be brief.', {}, wait);
    expect((screen.getByRole('combobox', { name: 'Model' }) as HTMLInputElement).value).toBe('demo-large');
    await user.click(screen.getByRole('combobox', { name: 'Conversation' }));
    await user.click(await screen.findByRole('option', { name: 'From elsewhere' }, wait));
    await screen.findByRole('article', { name: 'You' }, wait);
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    expect(asked.some(({ name }) => name === 'DeleteConversation')).toBe(false);
    await user.click(await screen.findByRole('button', { name: 'Clear conversation' }, wait));
    await waitFor(() => expect(asked).toContainEqual({ name: 'DeleteConversation', variables: { name: 'x' } }), wait);
    expect(asked.some(({ name }) => name === 'SavePersonalItem')).toBe(false);
  });

  it('asks before it is turned off, deletes from the account then, and the tab keeps its own', async () => {
    const { user, asked } = open({ settings: { model: 'demo-small' }, conversations: { x: talk('Mine') } });
    const keep = await findSwitch();
    await waitFor(() => expect(keep.checked).toBe(true), wait);
    await user.click(keep);
    await user.click(await screen.findByRole('button', { name: 'Cancel' }, wait));
    expect([keep.checked, asked.some(({ name }) => name === 'DeletePersonalItems')]).toEqual([true, false]);
    await user.click(keep);
    await user.click(await screen.findByRole('button', { name: 'Delete from the account' }, wait));
    await waitFor(() => expect(asked.some(({ name }) => name === 'DeletePersonalItems')).toBe(true), wait);
    await screen.findByText(/^Conversations and settings stay in this tab/, {}, wait);
    screen.getByRole('combobox', { name: 'Conversation' });
  });

  it('says what of the account could not be loaded, or is not there yet, and not that something failed', async () => {
    const item = { __typename: 'PersonalItem', content: JSON.stringify({ model: 'demo-small' }), name: 'settings' };
    const kept = answer({ data: { settings: [item], conversations: [] } });
    const answers = { Playground: answer({ data: { viewer, models } }), Role: answer({ data: { viewer } }) };
    renderPage(<PlaygroundPage />, { ...answers, KeptPlayground: answerLost(1, kept) }, '/playground');
    await screen.findByText(
      /^Your saved conversations could not be loaded. Nothing is saved until you reload/,
      {},
      wait,
    );
    cleanup();
    const { user } = renderPage(<PlaygroundPage />, { ...answers, KeptPlayground: kept }, '/playground');
    await user.type(await screen.findByLabelText('System prompt', {}, wait), 'Be brief.');
    await screen.findByText(/^Your latest changes are not saved in your account yet/, {}, wait);
  });

  it('cannot be turned on by whoever may not use the playground, and can be turned off by them', async () => {
    open({}, 'VIEWER');
    const off = await findSwitch();
    await screen.findByText(/you need the role/, {}, wait);
    expect(off.disabled).toBe(true);
    cleanup();
    open({ settings: { model: 'demo-small' } }, 'VIEWER');
    const on = await findSwitch();
    await waitFor(() => expect(on.checked && !on.disabled).toBe(true), wait);
  });
});
