/** @jest-environment jsdom */
import { screen, within } from '@testing-library/react';
import { answer, renderPage } from '../../test/render-page';
import { SettingsPage } from './settings-page';

const person = {
  __typename: 'Person',
  id: 'acct_1',
  name: 'Ada',
  email: 'ada@tollgate.example',
  emailVerifiedAt: null,
};
const viewer = {
  ...{ __typename: 'Account', id: 'acct_1', name: 'Ada', role: 'OWNER', isMailSent: false },
  ...{ createdAt: '2026-11-20T10:00:00.000Z', requestsPerMinute: 60, keysMax: 1, receiptsKeptDays: null },
  balance: { __typename: 'Balance', available: 5, held: 0 },
};
const noAnswer = () => null;

describe('SettingsPage', () => {
  it('has its words about mail whole as soon as it is drawn, so that nothing below them moves', async () => {
    const answers = { Settings: answer({ data: { person, viewer, mailboxPath: '/mailbox' } }), Mailbox: noAnswer };
    renderPage(<SettingsPage />, answers, '/settings');
    await screen.findByText('Not verified');
    screen.getByRole('link', { name: 'its mailbox' });
  });

  it('lists its parts, each a way to its heading, from where the keyboard goes on', async () => {
    const answers = { Settings: answer({ data: { person, viewer, mailboxPath: null } }), Mailbox: noAnswer };
    const { user } = renderPage(<SettingsPage />, answers, '/settings');
    const list = await screen.findByRole('navigation', { name: 'On this page' });
    const links = within(list).getAllByRole('link');
    for (const link of links) {
      const part = document.querySelector(link.getAttribute('href') ?? '');
      expect(part?.children).toHaveLength(1);
    }
    await user.tab();
    await user.tab();
    expect(document.activeElement?.textContent).toBe('Members');
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Members' }));
    for (const name of ['Delete the account', 'Password']) {
      await user.click(within(list).getByRole('link', { name }));
      expect(document.activeElement).toBe(screen.getByRole('heading', { name }));
    }
  });
});
