/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { type Answer, renderPage } from '../test/render-page';
import { LinkByOperator } from './link-by-operator';

const kept: Answer = () => ({ data: { mailboxPath: '/mailbox' } });
const none: Answer = () => ({ data: { mailboxPath: null } });
const notKnown: Answer = () => ({ errors: [{ message: 'Come again in a second.' }] });

describe('LinkByOperator', () => {
  const command = <LinkByOperator command="verification-link" email="ada@example.com" />;

  it('leads to the page with the mails where the server keeps them, and names the command in any case', async () => {
    renderPage(command, { Mailbox: kept });
    expect((await screen.findByRole('link', { name: 'its mailbox' })).getAttribute('href')).toBe('/mailbox');
    expect(document.body.textContent).toContain('npm run tollgate -- verification-link ada@example.com');
  });

  it.each([
    ['nobody may read them', none],
    ['that is not known', notKnown],
  ])('names the command alone where %s, and never claims that no link was sent', async (_, mailbox) => {
    const { asked } = renderPage(command, { Mailbox: mailbox });
    await waitFor(() => expect(asked).toHaveLength(1));
    screen.getByText(/^This server sends no mail\. Its operator can create a link:/);
    expect(screen.queryByRole('link')).toBeNull();
    expect(document.body.textContent).not.toContain('sent');
  });
});
