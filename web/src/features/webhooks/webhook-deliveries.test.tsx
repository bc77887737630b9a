/** @jest-environment jsdom */
import { screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { answer, renderPage } from '../../test/render-page';
import { WebhookDeliveries } from './webhook-deliveries';

const sent = {
  ...{ __typename: 'WebhookDelivery', id: 'note_1', title: 'Your balance is below 5 credits', state: 'SENT' },
  ...{ url: 'https://example.com/hook', body: '{"type":"balance.low"}', attempts: 1, fault: null },
  ...{ endpointId: null, at: '2026-11-23T10:00:00.000Z', nextAttemptAt: null },
};
const refused = {
  ...{ ...sent, id: 'note_2', endpointId: 'hook_1', title: 'Test of the webhook', state: 'WAITING', attempts: 2 },
  ...{ fault: 'The webhook answered 500.', nextAttemptAt: '2026-11-23T10:02:00.000Z' },
};

function open(deliveries: readonly object[], more: Parameters<typeof renderPage>[1] = {}) {
  return renderPage(<WebhookDeliveries endpoints={[{ id: 'hook_1', name: 'Pager' }]} hasAlert />, {
    WebhookDeliveries: answer({ data: { webhookDeliveries: deliveries } }),
    ...more,
  });
}

const [pager, books] = [
  { id: 'hook_1', name: 'Pager' },
  { id: 'hook_2', name: 'Books' },
];

function ListAndDeletion() {
  const [endpoints, setEndpoints] = useState([pager, books]);
  return (
    <>
      <button type="button" onClick={() => setEndpoints([books])}>
        Delete the pager
      </button>
      <WebhookDeliveries endpoints={endpoints} hasAlert={false} />
    </>
  );
}

describe('WebhookDeliveries', () => {
  it('tells what became of each, and why one was not taken', async () => {
    open([refused, sent]);
    const rows = within(await screen.findByRole('table', { name: 'Deliveries' }))
      .getAllByRole('row')
      .slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/Pager.*WaitingThe webhook answered 500. 2 attempts, the next one/),
      expect.stringMatching(/Low-balance alert.*Delivered/),
    ]);
  });

  it('shows the body, and sends one again', async () => {
    const resendWebhookDelivery = { ...sent, state: 'WAITING', attempts: 0 };
    const { user, asked } = open([sent], { ResendWebhookDelivery: answer({ data: { resendWebhookDelivery } }) });
    await user.click(await screen.findByRole('button', { name: /^Show Your balance/ }));
    expect((await screen.findByRole('region', { name: 'body' })).textContent).toContain('"balance.low"');
    await user.keyboard('{Escape}');
    await user.click(await screen.findByRole('button', { name: /^Send again: Your balance/ }));
    await screen.findByText('Waiting');
    expect(asked.find(({ name }) => name === 'ResendWebhookDelivery')?.variables).toEqual({ id: 'note_1' });
  });

  it('lists those of the alert alone, and sends a test where one chose', async () => {
    const sendTestWebhook = { __typename: 'WebhookDelivery', id: 'note_3' };
    const { user, asked } = open([refused, sent], { SendTestWebhook: answer({ data: { sendTestWebhook } }) });
    await screen.findByText('Delivered');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Endpoint' }), 'Low-balance alert');
    expect(screen.queryByText('Waiting')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Send a test to the alert’s webhook' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Endpoint' }), 'Pager');
    await user.click(await screen.findByRole('button', { name: 'Send a test to Pager' }));
    const tests = asked.filter(({ name }) => name === 'SendTestWebhook').map(({ variables }) => variables);
    expect(tests).toEqual([{ endpointId: null }, { endpointId: 'hook_1' }]);
    expect(asked).toContainEqual({ name: 'WebhookDeliveries', variables: { endpointId: 'hook_1' } });
  });

  it('sends a test, and says why it cannot', async () => {
    const errors = [
      {
        message: 'A webhook is sent at most ten tests in an hour. Try again later.',
        extensions: { code: 'RATE_LIMITED' },
      },
    ];
    const { user } = open([], { SendTestWebhook: answer({ errors }) });
    await screen.findByText(/^Nothing sent yet/);
    await user.click(screen.getByRole('button', { name: 'Send a test to Pager' }));
    await waitFor(() => screen.getByText(/at most ten tests/));
  });

  it('lists all again, and tests an endpoint that exists, once the chosen one was deleted', async () => {
    const { user, asked } = renderPage(<ListAndDeletion />, {
      WebhookDeliveries: answer({ data: { webhookDeliveries: [sent] } }),
      SendTestWebhook: answer({ data: { sendTestWebhook: { __typename: 'WebhookDelivery', id: 'note_3' } } }),
    });
    await screen.findByText('Delivered');
    const choice = screen.getByRole('combobox', { name: 'Endpoint' });
    await user.selectOptions(choice, 'Pager');
    await user.click(screen.getByText('Delete the pager'));
    expect(choice).toHaveProperty('value', 'all');
    await user.click(screen.getByRole('button', { name: 'Send a test to Books' }));
    expect(asked.filter(({ name }) => name === 'SendTestWebhook').map(({ variables }) => variables)).toEqual([
      { endpointId: 'hook_2' },
    ]);
    const lists = asked.filter(({ name }) => name === 'WebhookDeliveries').map(({ variables }) => variables.endpointId);
    expect(lists.at(-1)).toBeNull();
  });
});
