/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { answerLost, renderPage } from '../../test/render-page';
import { ConfirmEmail } from './confirm-email';
import { RecoverFactors } from './recover-factors';
import { VerifyEmail } from './verify-email';

const refused = () => ({ errors: [{ message: 'This link is used up.', extensions: { code: 'NOT_FOUND' } }] });
const lost = answerLost(Number.POSITIVE_INFINITY, refused);

const pages = [
  ['VerifyEmail', VerifyEmail, 'Verify my address', 'whether your address is verified'],
  ['ConfirmEmailChange', ConfirmEmail, 'Use this address', 'whether your address is changed'],
  ['StartFactorRecovery', RecoverFactors, 'Remove them in 72 hours', 'whether the wait has begun'],
] as const;

describe('a page that a mailed link opens', () => {
  it.each(pages)(
    '%s says that it is not known what became of it when the answer was lost',
    async (name, Page, button, whether) => {
      const { user } = renderPage(<Page />, { [name]: lost }, '/page#token');
      await user.click(await screen.findByRole('button', { name: button }));
      await screen.findByText(`It is not known ${whether}`);
    },
  );

  it.each(pages)(
    '%s claims nothing but that the link cannot be used when it is refused: an earlier press may have done it',
    async (name, Page, button) => {
      const { user } = renderPage(<Page />, { [name]: refused }, '/page#token');
      await user.click(await screen.findByRole('button', { name: button }));
      await screen.findByText('This link cannot be used');
      screen.getByText('This link is used up.');
    },
  );
});
