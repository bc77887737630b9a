/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { type Answer, renderPage } from '../../test/render-page';
import { SignInForm } from './sign-in-form';

const nothing: Answer = () => ({ data: { signInProviders: [] } });
const refuse = (message: string, extensions: object) => ({ errors: [{ message, extensions: { ...extensions } }] });
const isOver = () => refuse('This sign-in took longer than 10 minutes.', { code: 'UNAUTHENTICATED' });
const isUsed = () => refuse('This code is used already.', { code: 'BAD_USER_INPUT', field: 'code' });
const wantsCode: Answer = () => refuse('Enter a code.', { code: 'UNAUTHENTICATED', reason: 'second_factor_required' });
const account = { __typename: 'Account', id: 'acct_1' };
const done = () => ({ data: { finishSignIn: { __typename: 'SignInPayload', account } } });
const lostCommit = () =>
  refuse('The database went away. It is not known.', { code: 'INTERNAL', reason: 'service_unavailable' });
const lost = () => {
  throw new TypeError('Failed to fetch');
};
const nobody: Answer = () => ({ data: { viewer: null } });
const somebody: Answer = () => ({ data: { viewer: account } });

/** @param finish What the server answers to each try of the second step. */
async function open(finish: readonly (() => ReturnType<Answer>)[], { viewer = nobody, signIn = wantsCode } = {}) {
  const answers = [...finish];
  const page = renderPage(
    <SignInForm />,
    Object.fromEntries([
      ['SignInProviders', nothing],
      ['SignIn', signIn],
      ['ViewerNow', viewer],
      ['FinishSignIn', () => answers.shift()?.() ?? null],
    ]),
    '/sign-in?next=%2Fusage',
  );
  await page.user.type(screen.getByRole('textbox', { name: /^E-mail/ }), 'ada@example.com');
  await page.user.type(screen.getByLabelText(/^Password/), 'correct horse{Enter}');
  const enter = async (code: string) => {
    const field = await screen.findByLabelText(/^Code/);
    await page.user.clear(field);
    await page.user.type(field, `${code}{Enter}`);
  };
  const listAsked = () => page.asked.map(({ name }) => name).filter((name) => /SignIn$|ViewerNow/.test(name));
  return { ...page, enter, listAsked };
}

describe('The second step of a sign-in', () => {
  it.each([
    ['the answer', lost],
    ['the answer to the COMMIT', lostCommit],
  ])('lets in whoever has their session although %s was lost', async (_what, answer) => {
    const { enter, address } = await open([answer], { viewer: somebody });
    await enter('111111');
    await waitFor(() => expect(address.current).toBe('/usage'));
  });

  it.each([
    ['the answer', lost],
    ['the answer to the COMMIT', lostCommit],
  ])(
    'says what to do where %s was lost, and lets in with the next code, without the password',
    async (_what, answer) => {
      const { enter, address, listAsked } = await open([answer, isOver, done]);
      await enter('111111');
      await screen.findByText(/We could not confirm whether you were signed in\..*Enter the next code/);
      await enter('222222');
      await waitFor(() => expect(address.current).toBe('/usage'));
      expect(listAsked()).toEqual(['SignIn', 'FinishSignIn', 'ViewerNow', 'FinishSignIn', 'SignIn', 'FinishSignIn']);
    },
  );

  it('says at the field that the code was used where the same is sent after a lost answer', async () => {
    const { enter } = await open([lost, isOver, isUsed]);
    await enter('111111');
    await screen.findByText(/We could not confirm/);
    await enter('111111');
    await screen.findByText('This code is used already.');
    expect(screen.queryByText(/We could not confirm/)).toBeNull();
  });

  it('begins anew by itself once after ten minutes, and says so where even that is refused', async () => {
    const { enter, listAsked } = await open([isOver, isOver]);
    await enter('111111');
    await screen.findByText('This sign-in took longer than 10 minutes.');
    expect(listAsked()).toEqual(['SignIn', 'FinishSignIn', 'SignIn', 'FinishSignIn']);
  });
});
