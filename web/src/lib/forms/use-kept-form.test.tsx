/** @jest-environment jsdom */
import { act, cleanup, screen } from '@testing-library/react';
import { useState } from 'react';
import { renderPage } from '../../test/render-page';
import { endSessionOfTab } from '../session/session-end';
import { forgetFormsOf, KeptFormOwner, useKeptForm } from './use-kept-form';

const dayMs = 24 * 60 * 60 * 1_000;
const stored = { name: '', url: '', events: ['a'] };

let form: ReturnType<typeof useKeptForm<typeof stored>>;

function Form({ name, shown }: { name: string; shown: typeof stored }) {
  form = useKeptForm(name, shown);
  const [typed, setTyped] = useState({ ...form.start, password: '' });
  const type = (some: Partial<typeof typed>) => {
    setTyped({ ...typed, ...some });
    form.keep({ ...typed, ...some });
  };
  return (
    <>
      <p>{form.isRestored ? 'Restored' : 'Empty'}</p>
      <p>Name: {typed.name}</p>
      <button type="button" onClick={() => type({ name: 'Hook', password: 'correct horse' })}>
        Type
      </button>
      <button type="button" onClick={() => type({ name: '' })}>
        Take back
      </button>
      <p>Address: {typed.url}</p>
    </>
  );
}

function open(name = 'webhook', owner = '', shown = stored) {
  cleanup();
  return renderPage(
    <KeptFormOwner value={owner}>
      <Form name={name} shown={shown} />
    </KeptFormOwner>,
  );
}

async function type(name?: string, owner?: string) {
  const { user } = open(name, owner);
  await user.click(screen.getByText('Type'));
  return user;
}

const kept = () => JSON.stringify({ ...sessionStorage });
const expectRestored = () => [screen.getByText('Restored'), screen.getByText('Name: Hook')];
const expectEmpty = () => [screen.getByText('Empty'), screen.getByText('Name:')];

describe('What was typed into a form and not sent', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is there when the form is opened again, over what is stored by then, without any field that may not be kept', async () => {
    await type();
    expect(kept()).toContain('Hook');
    expect(kept()).not.toContain('correct horse');
    open('webhook', '', { ...stored, url: 'https://changed.example/' });
    expectRestored();
    screen.getByText('Address: https://changed.example/');
  });

  it.each([
    ['it was sent or cancelled', () => form.forget()],
    ['it is being sent, and may be made', () => form.send()],
    ['the session was ended by somebody', endSessionOfTab],
  ])('is gone once %s', async (_, end) => {
    await type();
    act(end);
    expect(kept()).not.toContain('Hook');
    open();
    expectEmpty();
  });

  it('stays when the server refuses it', async () => {
    await type();
    const refusal = { errors: [{ message: 'Sign in again.', extensions: { code: 'UNAUTHENTICATED' } }] };
    act(() => form.send());
    act(() => form.fail(refusal));
    open();
    expectRestored();
  });

  it('is not kept again, nor what is typed from then on, once an answer was lost to what may be made once only', async () => {
    const user = await type();
    act(() => form.send());
    act(() => form.fail(new TypeError('Failed')));
    await user.click(screen.getByText('Type'));
    expect(kept()).not.toContain('Hook');
    open();
    expectEmpty();
  });

  it('is no longer kept when it is what is stored again', async () => {
    const user = await type();
    await user.click(screen.getByText('Take back'));
    open();
    expectEmpty();
    expect(kept()).not.toContain('"webhook');
  });

  it.each([
    ['about something else', 'webhook ep_2', ''],
    ['of another operator', 'webhook', 'operator op_2'],
  ])('is not shown in a form %s', async (_, name, owner) => {
    await type();
    open(name, owner);
    expectEmpty();
  });

  it('goes with the operator who signs out, and that of others stays', async () => {
    await type('act', 'operator op_1');
    await type();
    forgetFormsOf('operator op_1');
    open('act', 'operator op_1');
    expectEmpty();
    open();
    expectRestored();
  });

  it.each([
    ['a day later', dayMs],
    ['where the clock was set back by days', -2 * dayMs],
  ])('is gone %s, and not kept beside what is typed then', async (_, laterMs) => {
    await type();
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + laterMs);
    open();
    expectEmpty();
    await type('another');
    expect(Object.keys(JSON.parse(sessionStorage.getItem('tollgate.draft.forms') ?? '{}'))).toEqual([' another']);
  });

  it('is kept of the twenty forms that were typed into last', async () => {
    const now = Date.now();
    for (let count = 0; count <= 20; count += 1) {
      jest.spyOn(Date, 'now').mockReturnValue(now + count);
      await type(`form ${count}`);
    }
    open('form 0');
    expectEmpty();
    open('form 1');
    expectRestored();
  });
});
