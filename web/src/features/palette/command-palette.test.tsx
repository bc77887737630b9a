/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import CommandPalette from './command-palette';

const apiKeys = ['Laptop', 'Production'].map((name) => ({ __typename: 'ApiKey', id: `key_${name}`, name }));
const answers = { Palette: () => ({ data: { models: [], apiKeys } }) };

describe('CommandPalette', () => {
  it('leads to the requests of a key by a few letters of its name', async () => {
    const { user, address } = renderPage(<CommandPalette timesAsked={1} />, answers);
    await user.type(await screen.findByRole('textbox', { name: 'Search or jump to' }), 'lapt');
    await user.click(await screen.findByRole('button', { name: /^Lapt/ }));
    expect(address.current).toBe('/requests?key=key_Laptop');
  });
});
