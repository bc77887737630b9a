/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { renderPage } from '../../test/render-page';
import { BalanceAlertCard } from './balance-alert-card';

const before = {
  ...{ __typename: 'BalanceAlert', threshold: 100, email: true, webhookUrl: 'https://example.com/old' },
  ...{ webhookSecret: null, use: false },
};

describe('BalanceAlertCard', () => {
  it('leads whoever has an address that is not verified to where that is done', async () => {
    const viewer = { __typename: 'Account', id: 'acc_1', emailVerifiedAt: null };
    const answers = Object.fromEntries([['BalanceAlert', () => ({ data: { viewer, balanceAlert: before } })]]);
    renderPage(<BalanceAlertCard />, answers);
    expect((await screen.findByRole('link', { name: 'settings' })).getAttribute('href')).toBe('/settings');
  });

  it('sends what its user changed alone, and then shows what was changed elsewhere', async () => {
    // Meanwhile somebody else has raised the threshold and moved the webhook.
    let alert = { ...before, threshold: 500, webhookUrl: 'https://example.com/new' };
    let isFirst = true;
    const find = () => {
      const balanceAlert = isFirst ? before : alert;
      isFirst = false;
      return { data: { viewer: { __typename: 'Account', id: 'acc_1', emailVerifiedAt: null }, balanceAlert } };
    };
    const set = ({ input }: Readonly<Record<string, unknown>>) => {
      alert = { ...alert, ...(input as object) };
      return { data: { setBalanceAlert: alert } };
    };
    const { user, asked } = renderPage(<BalanceAlertCard />, { BalanceAlert: find, SetBalanceAlert: set });
    await user.click(await screen.findByRole('checkbox', { name: /^By e-mail/ }));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.getByLabelText('Threshold')).toHaveProperty('value', '500'));
    await user.click(await screen.findByRole('checkbox', { name: /^Also budgets/ }));
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(asked.filter(({ name }) => name === 'SetBalanceAlert').map(({ variables }) => variables.input)).toEqual([
        { email: false },
        { use: true },
      ]),
    );
    expect(screen.getByLabelText('Webhook URL')).toHaveProperty('value', 'https://example.com/new');
  });

  it('has what was typed before the page was left, beside what is stored by now, until it is saved', async () => {
    let alert = before;
    const find = () => ({
      data: { viewer: { __typename: 'Account', id: 'acc_1', emailVerifiedAt: null }, balanceAlert: alert },
    });
    const set = ({ input }: Readonly<Record<string, unknown>>) => {
      alert = { ...alert, ...(input as object) };
      return { data: { setBalanceAlert: alert } };
    };
    const { user } = renderPage(<Twice />, { BalanceAlert: find, SetBalanceAlert: set });
    const turn = () => user.click(screen.getByRole('button', { name: 'Another page' }));
    await user.clear(await screen.findByLabelText('Threshold'));
    await user.type(screen.getByLabelText('Threshold'), '70');
    await turn();
    alert = { ...before, webhookUrl: 'https://example.com/new' };
    await turn();
    await waitFor(() =>
      expect(screen.getByLabelText('Webhook URL')).toHaveProperty('value', 'https://example.com/new'),
    );
    expect(screen.getByLabelText('Threshold')).toHaveProperty('value', '70');
    screen.getByText(/^Your unsaved changes were restored/);
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByText(/^Your unsaved changes/)).toBeNull());
    await turn();
    await turn();
    expect(screen.getByLabelText('Threshold')).toHaveProperty('value', '70');
    expect(screen.queryByText(/^Your unsaved changes/)).toBeNull();
  });

  it('shows what is stored by now where the page first shows what it knew before', async () => {
    let alert = before;
    const find = () => ({
      data: { viewer: { __typename: 'Account', id: 'acc_1', emailVerifiedAt: null }, balanceAlert: alert },
    });
    const { user } = renderPage(<Twice />, { BalanceAlert: find });
    await waitFor(() => expect(screen.getByLabelText('Threshold')).toHaveProperty('value', '100'));
    await user.click(screen.getByRole('button', { name: 'Another page' }));
    alert = { ...before, threshold: 500, email: false };
    await user.click(screen.getByRole('button', { name: 'Another page' }));
    await waitFor(() => expect(screen.getByLabelText('Threshold')).toHaveProperty('value', '500'));
    expect(screen.getByRole('checkbox', { name: /^By e-mail/ })).toHaveProperty('checked', false);
  });
});

/** A page that its user leaves and comes back to. */
function Twice() {
  const [isOpen, setOpen] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setOpen(!isOpen)}>
        Another page
      </button>
      {isOpen && <BalanceAlertCard />}
    </>
  );
}
