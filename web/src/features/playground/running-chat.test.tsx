/** @jest-environment jsdom */
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { endSessionOfTab } from '../../lib/session/session-end';
import { answer, renderPage } from '../../test/render-page';
import { PlaygroundPage } from './playground-page';

const viewer = { __typename: 'Account', id: 'acct_1', balance: { __typename: 'Balance', available: 5, held: 0 } };
const model = { __typename: 'Model', id: 'demo-small', tier: 'lower', endpoint: 'CHAT', creditsPerThousandTokens: 1 };
const capabilities = { __typename: 'ModelCapabilities', vision: false };
const models = ['demo-small', 'demo-large'].map((id) => ({
  ...{ ...model, id, maxOutputTokens: 4_096, isDemo: true, capabilities },
}));
const wait = { timeout: 5_000 };

interface Asking {
  readonly model: string;
  readonly words: readonly string[];
  readonly signal: AbortSignal;
  answer(words: string): Promise<void>;
  /** As the server refuses what the balance does not cover. */
  refuse(message: string): Promise<void>;
}

/** Every question that was sent, to be answered by hand. */
const askings: Asking[] = [];

function holdQuestions(_url: string, { signal, body }: { signal: AbortSignal; body: string }): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    const answer = async (content: string) => {
      const choices = [{ message: { content }, finish_reason: 'stop' }];
      const usage = { prompt_tokens: 1, completion_tokens: 1, credits: 0.002 };
      const headers = new Map([['x-request-id', 'call_1']]);
      await act(async () => resolve({ ok: true, headers, json: async () => ({ choices, usage }) }));
    };
    const refuse = async (message: string) => {
      const error = { message, code: 'insufficient_quota' };
      const headers = new Map([['x-request-id', 'call_1']]);
      await act(async () => resolve({ ok: false, status: 402, headers, json: async () => ({ error }) }));
    };
    const asked = JSON.parse(body) as { model: string; messages: readonly { content: string }[] };
    askings.push({ model: asked.model, words: asked.messages.map(({ content }) => content), signal, answer, refuse });
  });
}

function open() {
  return renderPage(
    <PlaygroundPage />,
    {
      Playground: answer({ data: { viewer, models } }),
      Role: answer({ data: { viewer: { ...viewer, role: 'OWNER' } } }),
      KeptPlayground: answer({ data: { settings: [], conversations: [] } }),
    },
    '/playground',
  );
}

async function ask(words: string, models = 1): Promise<Asking> {
  const before = askings.length;
  const field = await screen.findByLabelText('Your message', {}, wait);
  fireEvent.change(field, { target: { value: words } });
  await waitFor(() => expect(screen.getByText('Send').closest('button')?.disabled).toBe(false), wait);
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(askings.length).toBe(before + models), wait);
  return askings.at(-1) as Asking;
}

const kept = () => sessionStorage.getItem('tollgate.draft.playground.conversations') ?? '';

describe('an answer of the playground', () => {
  let asked = 0;
  beforeEach(() => {
    asked = askings.length;
    endSessionOfTab();
    sessionStorage.setItem('tollgate.draft.playground.settings', JSON.stringify({ isStreamed: false }));
    Object.assign(Element.prototype, { scrollIntoView: () => undefined });
    Object.assign(globalThis, { fetch: holdQuestions });
  });
  afterEach(() => act(() => endSessionOfTab()));

  it('comes to its end while another page is shown, and is there when one comes back', async () => {
    open();
    const asking = await ask('What is a toll?');
    cleanup();
    await asking.answer('Money for the road.');
    await waitFor(() => expect(kept()).toContain('Money for the road.'), wait);
    open();
    await screen.findByText('Money for the road.', {}, wait);
  });

  it('is seen arriving, and can be stopped, by whoever comes back before its end', async () => {
    open();
    const asking = await ask('What is a toll?');
    cleanup();
    open();
    const stop = await screen.findByText('Stop', {}, wait);
    fireEvent.click(stop);
    expect(asking.signal.aborted).toBe(true);
    await screen.findByText('Send', {}, wait);
    expect(kept()).toContain('"isStopped":true');
  });

  it('is written beside what was kept meanwhile, and over none of it', async () => {
    open();
    await (await ask('First?')).answer('One.');
    await screen.findByText('One.', {}, wait);
    const asking = await ask('Second?');
    cleanup();
    open();
    await screen.findByText('Second?', {}, wait);
    await asking.answer('Two.');
    await screen.findByText('Two.', {}, wait);
    expect(['First?', 'One.', 'Second?', 'Two.'].filter((words) => !kept().includes(words))).toEqual([]);
  });

  it('that the balance does not cover leads to where credits are bought, also when one comes back to it', async () => {
    open();
    await (await ask('What is a toll?')).refuse('You exceeded your current quota.');
    const findLink = () => screen.findByRole('link', { name: 'Buy credits' }, wait);
    expect((await findLink()).getAttribute('href')).toBe('/credits');
    cleanup();
    open();
    expect((await findLink()).getAttribute('href')).toBe('/credits');
  });

  it('that failed is asked for once more with one press, with the same question and no second copy of it', async () => {
    open();
    await (await ask('What is a toll?')).refuse('You exceeded your current quota.');
    fireEvent.click(await screen.findByRole('button', { name: 'Try again' }, wait));
    await waitFor(() => expect(askings.length).toBe(asked + 2), wait);
    await (askings.at(-1) as Asking).answer('Money for the road.');
    await screen.findByText('Money for the road.', {}, wait);
    expect(askings.slice(asked).map(({ words }) => words)).toEqual([['What is a toll?'], ['What is a toll?']]);
    expect(screen.getAllByText('What is a toll?')).toHaveLength(1);
    expect(document.body.textContent).not.toContain('You exceeded your current quota.');
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it('that one of two models failed to give is asked of that model alone, and the other answer stays', async () => {
    sessionStorage.setItem(
      'tollgate.draft.playground.settings',
      JSON.stringify({ isStreamed: false, beside: ['demo-large'] }),
    );
    open();
    const second = await ask('What is a toll?', 2);
    await (askings.at(-2) as Asking).answer('Money for the road.');
    await second.refuse('You exceeded your current quota.');
    fireEvent.click(await screen.findByRole('button', { name: 'Try again' }, wait));
    await waitFor(() => expect(askings.length).toBe(asked + 3), wait);
    expect(askings.slice(asked).map(({ model }) => model)).toEqual(['demo-small', 'demo-large', 'demo-large']);
    await (askings.at(-1) as Asking).answer('A fee.');
    await screen.findByText('A fee.', {}, wait);
    screen.getByText('Money for the road.');
  });

  it('is stopped by the end of the session, and leaves nothing for whoever signs in next', async () => {
    open();
    const asking = await ask('Private words');
    await act(async () => endSessionOfTab());
    expect(asking.signal.aborted).toBe(true);
    await asking.answer('Private answer');
    cleanup();
    expect(JSON.stringify({ ...sessionStorage })).not.toMatch(/private/i);
    open();
    await screen.findByLabelText('Your message', {}, wait);
    expect(document.body.textContent).not.toContain('Private');
  });
});
