/** @jest-environment jsdom */
import { screen, within } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import CreditsRoute from './credits';

describe('the page of credits', () => {
  it('leads from its head to the purchases and the statement, which stand behind all that is about buying', async () => {
    const { user } = renderPage(<CreditsRoute />, {}, '/credits');
    for (const name of ['Purchases', 'Statement']) {
      const link = await screen.findByRole('link', { name });
      const part = document.querySelector<HTMLElement>(link.getAttribute('href') ?? '');
      const heading = within(part as HTMLElement).getByRole('heading', { level: 2, name });
      await user.click(link);
      expect(document.activeElement).toBe(heading);
    }
  });
});
