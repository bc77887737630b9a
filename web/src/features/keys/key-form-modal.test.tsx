/** @jest-environment jsdom */
import { cleanup, screen, waitFor } from '@testing-library/react';
import { addDays, toDay } from '../../lib/reports/calendar';
import { type Answer, answerLost, renderPage } from '../../test/render-page';
import KeyFormModal from './key-form-modal';
import type { ApiKey } from './keys-document';

const secret = 'sk-tg-shown-once';
const listChoices = () => ({ data: { models: [{ __typename: 'Model', id: 'demo-small', providers: ['demo'] }] } });
const create = () => ({
  data: { createApiKey: { __typename: 'CreatedApiKey', apiKey: { __typename: 'ApiKey', id: 'key_1' }, secret } },
});
const refuse = () => ({
  errors: [{ message: 'You have a key of this name.', extensions: { code: 'BAD_USER_INPUT', field: 'name' } }],
});

const change = () => ({ data: { updateApiKey: { __typename: 'ApiKey', id: 'key_1' } } });
const wideKey = {
  ...{ __typename: 'ApiKey', id: 'key_1', name: 'prod', scopes: ['CHAT'], models: null, providers: null },
  ...{ spendLimit: 1_000, spendPeriod: 'MONTH', addresses: null, requestsPerMinute: null, tokensPerMinute: null },
  expiresAt: null,
} as unknown as ApiKey;

function openChange() {
  const close = () => undefined;
  const page = renderPage(<KeyFormModal apiKey={wideKey} isOpen onClose={close} />, {
    ...{ KeyChoices: listChoices, UpdateApiKey: change },
  });
  return { ...page, listChanges: () => page.asked.filter(({ name }) => name === 'UpdateApiKey') };
}

function open(answer: Answer) {
  let closedCount = 0;
  const close = () => {
    closedCount += 1;
  };
  const modal = <KeyFormModal apiKey={null} isOpen onClose={close} />;
  const page = renderPage(modal, { KeyChoices: listChoices, CreateApiKey: answer });
  const listCreated = () => page.asked.filter(({ name }) => name === 'CreateApiKey').map((one) => one.variables.input);
  return { ...page, listCreated, countClosed: () => closedCount };
}

const nameField = () => screen.findByRole('textbox', { name: /^Name/ });
const createButton = () => screen.getByRole('button', { name: 'Create key' });

describe('KeyFormModal', () => {
  it('sends no key without a name, and takes the focus back to it', async () => {
    const { user, listCreated } = open(create);
    const field = await nameField();
    await user.click(createButton());
    screen.getByText('Enter a name.');
    expect(document.activeElement).toBe(field);
    expect(listCreated()).toEqual([]);
  });

  it('creates what was chosen, with every limit that was not set left free, and shows the secret until it is saved', async () => {
    const { user, listCreated, countClosed } = open(create);
    await user.type(await nameField(), ' Laptop ');
    await user.click(createButton());
    await screen.findByText(secret);
    expect(listCreated()).toEqual([
      {
        ...{ name: 'Laptop', scopes: ['CHAT', 'USAGE_READ'], models: null, providers: null, addresses: null },
        ...{ spendLimit: null, spendPeriod: null, requestsPerMinute: null, tokensPerMinute: null, expiresAt: null },
      },
    ]);
    await user.keyboard('{Escape}');
    expect(countClosed()).toBe(0);
    await user.click(screen.getByRole('button', { name: 'I have saved it' }));
    expect(countClosed()).toBe(1);
  });

  it('stays open while the key is being made, so that no Escape and no Cancel loses the secret', async () => {
    const { user, countClosed } = open(() => null);
    await user.type(await nameField(), 'Laptop{Enter}');
    await screen.findByRole('button', { name: 'Saving …' });
    await user.keyboard('{Escape}');
    expect(screen.getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', true);
    const leaving = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(leaving);
    expect([countClosed(), leaving.defaultPrevented]).toEqual([0, true]);
  });

  it('ends a key with the day that was typed, and sends none while the day is not whole', async () => {
    const { user, listCreated } = open(create);
    await user.type(await nameField(), 'Laptop');
    await user.click(screen.getByRole('combobox', { name: 'Expires' }));
    await user.click(await screen.findByRole('option', { name: 'At the end of a day' }));
    const last = addDays(toDay(Date.now()), 10);
    const field = screen.getByLabelText('Last day, in UTC');
    await user.clear(field);
    await user.type(field, last.slice(0, -1));
    await user.click(createButton());
    screen.getByText(/Enter the last day of the key/);
    expect(listCreated()).toEqual([]);
    await user.type(field, last.slice(-1));
    await user.click(createButton());
    await screen.findByText(secret);
    expect(listCreated()).toMatchObject([{ expiresAt: `${last}T23:59:59.000Z` }]);
  });

  it('leaves the Escape key to the calendar that is open in it, and keeps what was typed', async () => {
    const { user, countClosed } = open(create);
    await user.type(await nameField(), 'Laptop');
    await user.click(screen.getByRole('combobox', { name: 'Expires' }));
    await user.click(await screen.findByRole('option', { name: 'At the end of a day' }));
    const calendar = screen.getByRole('button', { name: 'Calendar' });
    for (const takeKey of [() => calendar, () => screen.getByRole('grid').querySelector('[tabindex="0"]')]) {
      await user.click(calendar);
      (takeKey() as HTMLElement).focus();
      await user.keyboard('{Escape}');
      expect(screen.queryByRole('grid')).toBeNull();
      expect(document.activeElement).toBe(calendar);
    }
    expect([countClosed(), ((await nameField()) as HTMLInputElement).value]).toEqual([0, 'Laptop']);
    await user.keyboard('{Escape}');
    expect(countClosed()).toBe(1);
  });

  it.each([
    ['Budget', 'At most', 'Credits', '', 'Enter the budget, or choose “No budget”.'],
    ['Rate limit', 'At most', 'Requests per minute', '', /^Enter the requests per minute/],
    ['Token limit', 'At most', 'Tokens per minute', '9999999999', /^Enter a number from 1 to/],
  ])('saves no key while %s holds no number that can be saved', async (limit, option, label, typed, words) => {
    const { user, listCreated } = open(create);
    await user.type(await nameField(), 'Laptop');
    await user.click(screen.getByRole('combobox', { name: limit }));
    await user.click(await screen.findByRole('option', { name: option }));
    const field = screen.getByLabelText(label);
    await user.clear(field);
    for (const key of typed) await user.type(field, key);
    await user.click(createButton());
    expect(screen.getAllByText(words).length).toBeGreaterThan(0);
    expect(listCreated()).toEqual([]);
  });

  it('saves the budget and the rate that the fields show, with zeros before them as well', async () => {
    const { user, listCreated } = open(create);
    await user.type(await nameField(), 'Laptop');
    for (const [limit, label, typed] of [
      ['Budget', 'Credits', '0250.5'],
      ['Rate limit', 'Requests per minute', '010'],
    ] as const) {
      await user.click(screen.getByRole('combobox', { name: limit }));
      await user.click(await screen.findByRole('option', { name: 'At most' }));
      const field = screen.getByLabelText(label);
      await user.clear(field);
      for (const key of typed) await user.type(field, key);
    }
    await user.click(createButton());
    await screen.findByText(secret);
    expect(listCreated()).toMatchObject([{ spendLimit: 250.5, spendPeriod: 'MONTH', requestsPerMinute: 10 }]);
  });

  it('sends a new name alone, so that no limit that was set elsewhere meanwhile is undone', async () => {
    const { user, listChanges } = openChange();
    await user.type(await nameField(), ' 2');
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    await screen.findByText('prod 2 has its new rules now.');
    expect(listChanges().map(({ variables }) => variables)).toEqual([{ id: 'key_1', input: { name: 'prod 2' } }]);
  });

  it('creates one key however often it is pressed after a lost answer, another for another name, and shows the secret', async () => {
    const { user, asked } = open(answerLost(2, create));
    const field = await nameField();
    await user.type(field, 'Laptop');
    for (const press of [1, 2]) {
      await user.click(createButton());
      await screen.findByText(/We could not confirm whether the key was created/);
      await waitFor(() => expect(asked.filter(({ name }) => name === 'KeyChoices').length).toBe(1 + press));
    }
    await user.type(field, ' 2');
    await user.click(createButton());
    await screen.findByText(secret);
    const sent = asked.filter(({ name }) => name === 'CreateApiKey').map(({ variables }) => variables);
    expect(sent).toHaveLength(3);
    expect(sent[0]?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(sent[1]).toEqual(sent[0]);
    expect(sent[2]?.idempotencyKey).not.toBe(sent[0]?.idempotencyKey);
  });

  it('has what was typed before its page went away, also where the server refused it for want of a session, and nothing once cancelled', async () => {
    const { user } = open(() => ({ errors: [{ message: 'Sign in again.', extensions: { code: 'UNAUTHENTICATED' } }] }));
    await user.type(await nameField(), 'Laptop');
    await user.click(screen.getByRole('checkbox', { name: 'read usage' }));
    await user.click(createButton());
    await screen.findByText(/Sign in again/);
    cleanup();
    const again = open(create);
    expect(await nameField()).toHaveProperty('value', 'Laptop');
    expect(screen.getByRole('checkbox', { name: 'read usage' })).toHaveProperty('checked', false);
    screen.getByText(/^Your unsaved changes were restored/);
    await again.user.click(screen.getByRole('button', { name: 'Discard' }));
    expect(await nameField()).toHaveProperty('value', '');
    await again.user.type(await nameField(), 'Phone');
    await again.user.click(screen.getByRole('button', { name: 'Cancel' }));
    cleanup();
    open(create);
    expect(await nameField()).toHaveProperty('value', '');
    expect(screen.queryByText(/^Your unsaved changes/)).toBeNull();
  });

  it('says at the name what the server refuses of it, and keeps the form', async () => {
    const { user } = open(refuse);
    const field = await nameField();
    await user.type(field, 'Laptop{Enter}');
    await screen.findByText('You have a key of this name.');
    await waitFor(() => expect(createButton()).toHaveProperty('disabled', false));
    expect(field).toHaveProperty('value', 'Laptop');
  });
});
