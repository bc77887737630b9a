/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
// It sets up hooks of its own, which no test can do once it runs.
import '@testing-library/user-event';

describe('What an account saved', () => {
  it('is not asked for by whoever looks as the customer, who reads why in grey and not as a fault', async () => {
    // Read once, when the page loads.
    const view = { id: 'cview_1', accountId: 'acct_1', email: 'ada@example.com' };
    sessionStorage.setItem('tollgate.customer-view', JSON.stringify(view));
    const { renderPage } = await import('../test/render-page');
    const { PromptLibrary } = await import('../features/playground/prompt-library');
    const none = () => {};
    const { user, asked } = renderPage(<PromptLibrary current={{ system: '', question: 'Hello' }} onUse={none} />);
    await user.click(screen.getByRole('button', { name: 'Prompts' }));
    await screen.findByText(/^What members saved for this account is not shown/);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.queryByRole('checkbox', { name: /^For all members/ })).toBeNull();
    expect(asked.map(({ name }) => name)).not.toContain('SavedItems');
  });
});
