/** @jest-environment jsdom */
import '../test/looks-as-customer';
import { screen } from '@testing-library/react';
import { PromptLibrary } from '../features/playground/prompt-library';
import { renderPage } from '../test/render-page';

describe('What an account saved', () => {
  it('is not asked for by whoever looks as the customer, who reads why in grey and not as a fault', async () => {
    const none = () => {};
    const { user, asked } = renderPage(<PromptLibrary current={{ system: '', question: 'Hello' }} onUse={none} />);
    await user.click(screen.getByRole('button', { name: 'Prompts' }));
    await screen.findByText(/^What members saved is not shown/);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.queryByRole('checkbox', { name: /^For all members/ })).toBeNull();
    expect(asked.map(({ name }) => name)).not.toContain('SavedItems');
  });
});
