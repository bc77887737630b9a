/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
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
});
