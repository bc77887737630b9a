/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { type Answer, renderPage } from '../test/render-page';
import { LinkByOperator } from './link-by-operator';

const kept: Answer = () => ({ data: { mailboxPath: '/mailbox' } });
const none: Answer = () => ({ data: { mailboxPath: null } });

describe('LinkByOperator', () => {
  const command = <LinkByOperator command="verification-link" email="ada@example.com" />;

  it('leads to the page with the mails where the server keeps them, and names the command in any case', async () => {
    renderPage(command, { Mailbox: kept });
    expect((await screen.findByRole('link', { name: 'its mailbox' })).getAttribute('href')).toBe('/mailbox');
    expect(document.body.textContent).toContain('npm run tollgate -- verification-link ada@example.com');
  });

  it('says that no link was sent where nobody may read them', async () => {
    const { asked } = renderPage(command, { Mailbox: none });
    await screen.findByText(/no link was sent/);
    expect(asked).toHaveLength(1);
    expect(screen.queryByRole('link')).toBeNull();
  });
});
