/** @jest-environment jsdom */
import { cleanup, screen } from '@testing-library/react';
import { answer, renderPage } from '../../test/render-page';
import { PlaygroundPage } from './playground-page';

const model = {
  ...{ __typename: 'Model', id: 'demo-small', tier: 'lower', endpoint: 'CHAT', creditsPerThousandTokens: 1 },
  ...{ isDemo: true, maxOutputTokens: 4_096, capabilities: { __typename: 'ModelCapabilities', vision: false } },
};

function open(available: number) {
  const balance = { __typename: 'Balance', available, held: 0 };
  const viewer = { __typename: 'Account', id: 'acct_1', balance };
  const answers = {
    Playground: answer({ data: { viewer, models: [model] } }),
    Role: answer({ data: { viewer: { ...viewer, role: 'OWNER' } } }),
    KeptPlayground: answer({ data: { settings: [], conversations: [] } }),
  };
  return renderPage(<PlaygroundPage />, answers, '/playground');
}

describe('PlaygroundPage', () => {
  beforeEach(() => Object.assign(window, { scrollTo: () => undefined }));

  it('leads to the credits whoever has none, before a question is written that would be refused', async () => {
    open(5);
    await screen.findByText(/^5 credits left/);
    expect(screen.queryByText('Buy credits')).toBeNull();
    cleanup();
    const { address, user } = open(0);
    await user.click(await screen.findByText('Buy credits'));
    expect(address.current).toBe('/credits');
  });
});
