/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { renderPage } from '../../../test/render-page';
import { OperatorPasskeys } from './operator-passkeys';

describe('The passkeys of an operator', () => {
  afterEach(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));

  it.each([
    ['nothing that can be seen', '\u200b', 'Enter a name with visible characters.'],
    ['101 characters', 'x'.repeat(101), 'Use at most 100 characters.'],
  ])('ask the device for nothing while the name is %s', async (_, name, fault) => {
    Object.assign(window, { PublicKeyCredential: Function });
    const answer = () => ({ data: { operator: { __typename: 'OperatorQuery', passkeys: [] } } });
    const { user, asked } = renderPage(<OperatorPasskeys />, { OperatorPasskeys: answer });
    await user.click(await screen.findByRole('button', { name: 'Add a passkey' }));
    const field = screen.getByRole('textbox', { name: /^Name/ });
    await user.clear(field);
    await user.click(field);
    await user.paste(name);
    await user.click(screen.getAllByRole('button', { name: 'Add a passkey' }).at(-1) as Element);
    await screen.findByText(fault);
    expect(asked.map((one) => one.name)).toEqual(['OperatorPasskeys']);
  });
});
