/** @jest-environment jsdom */
import { screen, waitFor, within } from '@testing-library/react';
import { answer, answerLost, renderPage } from '../../test/render-page';
import { WebhooksPage } from './webhooks-page';

const pager = {
  ...{ __typename: 'WebhookEndpoint', id: 'hook_1', name: 'Pager', url: 'https://example.com/pager' },
  ...{ secret: 'tgwh_of_the_pager', events: ['BALANCE_LOW', 'CALL_FAILED'], isOn: true },
};
const alert = { __typename: 'BalanceAlert', webhookUrl: null, use: false };

function open(endpoints: readonly object[], more: Parameters<typeof renderPage>[1] = {}, balanceAlert: object = alert) {
  return renderPage(<WebhooksPage />, {
    WebhookEndpoints: answer({ data: { webhookEndpoints: endpoints, balanceAlert } }),
    WebhookDeliveries: answer({ data: { webhookDeliveries: [] } }),
    ...more,
  });
}

describe('WebhooksPage', () => {
  it('makes an endpoint of what was chosen, and says at the field what the server refuses, which it leads to', async () => {
    const fault = {
      message: 'This address is not on the public internet.',
      extensions: { code: 'BAD_USER_INPUT', field: 'url' },
    };
    const { user, asked } = open([], { CreateWebhookEndpoint: answer({ errors: [fault] }) });
    await user.click(await screen.findByRole('button', { name: 'New endpoint' }));
    const form = within(await screen.findByRole('dialog'));
    await user.type(form.getByRole('textbox', { name: 'Name' }), 'Books');
    await user.type(form.getByRole('textbox', { name: 'URL' }), ' https://10.0.0.1/');
    await user.click(form.getByRole('checkbox', { name: 'Budget at 50, 80, 100 %' }));
    await user.click(form.getByRole('checkbox', { name: 'Refused requests' }));
    await user.click(form.getByRole('button', { name: 'Create endpoint' }));
    await form.findByText(fault.message);
    await waitFor(() => expect(document.activeElement).toBe(form.getByRole('textbox', { name: 'URL' })));
    const input = { name: 'Books', url: 'https://10.0.0.1/', isOn: true };
    expect(asked.find(({ name }) => name === 'CreateWebhookEndpoint')?.variables).toEqual({
      input: { ...input, events: ['BALANCE_LOW', 'CALL_FAILED', 'CALL_REFUSED'] },
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it('says that it is not known whether a new endpoint was made whose answer was lost, and asks again under the same key', async () => {
    const create = answerLost(1, answer({ data: { createWebhookEndpoint: pager } }));
    const { user, asked } = open([], { CreateWebhookEndpoint: create });
    await user.click(await screen.findByRole('button', { name: 'New endpoint' }));
    const form = within(await screen.findByRole('dialog'));
    await user.type(form.getByRole('textbox', { name: 'Name' }), 'Pager');
    await user.type(form.getByRole('textbox', { name: 'URL' }), 'https://example.com/pager');
    await user.click(form.getByRole('button', { name: 'Create endpoint' }));
    await form.findByText(/^We could not confirm whether the endpoint was saved\./);
    await user.click(form.getByRole('button', { name: 'Create endpoint' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const [first, second] = asked.filter(({ name }) => name === 'CreateWebhookEndpoint');
    expect(second?.variables).toEqual(first?.variables);
  });

  it('sends a new name of an endpoint alone, so that it is not turned on or moved back', async () => {
    const updateWebhookEndpoint = { ...pager, name: 'Pager 2', url: 'https://example.com/moved', isOn: false };
    const { user, asked } = open([pager], { UpdateWebhookEndpoint: answer({ data: { updateWebhookEndpoint } }) });
    await user.click(await screen.findByRole('button', { name: 'Change Pager' }));
    const form = within(await screen.findByRole('dialog'));
    await user.type(form.getByRole('textbox', { name: 'Name' }), ' 2');
    await user.click(form.getByRole('button', { name: 'Save changes' }));
    await screen.findByText('https://example.com/moved');
    expect(asked.filter(({ name }) => name === 'UpdateWebhookEndpoint').map(({ variables }) => variables)).toEqual([
      { id: 'hook_1', input: { name: 'Pager 2' } },
    ]);
  });

  it.each([
    ['Delete Pager', 'Delete endpoint', 'Endpoint deleted'],
    ['New secret for Pager', 'Create a new secret', 'New secret made'],
  ])('announces what was done by “%s”', async (button, confirm, title) => {
    const rotateWebhookSecret = { __typename: 'WebhookEndpoint', id: 'hook_1', secret: 'tgwh_another' };
    const { user } = open([pager], {
      DeleteWebhookEndpoint: answer({ data: { deleteWebhookEndpoint: true } }),
      RotateWebhookSecret: answer({ data: { rotateWebhookSecret } }),
    });
    await user.click(await screen.findByRole('button', { name: button }));
    await user.click(await screen.findByRole('button', { name: confirm }));
    const toast = await screen.findByText(title);
    expect(toast.closest('[role=alert]')?.textContent).toContain('Pager');
  });

  it('shows the secret when it is asked for, and another one once it was made', async () => {
    const rotateWebhookSecret = { __typename: 'WebhookEndpoint', id: 'hook_1', secret: 'tgwh_another' };
    const { user } = open([pager], { RotateWebhookSecret: answer({ data: { rotateWebhookSecret } }) });
    await screen.findByText('Low balance, Failed calls');
    expect(screen.queryByText('tgwh_of_the_pager')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Show secret' }));
    screen.getByText('tgwh_of_the_pager');
    await user.click(screen.getByRole('button', { name: 'New secret for Pager' }));
    await user.click(await screen.findByRole('button', { name: 'Create a new secret' }));
    await screen.findByText('tgwh_another');
  });

  it('says that it is not known whether there is a new secret when the answer was lost, and shows the one there is', async () => {
    let secret = pager.secret;
    const rotate = answerLost(1, answer({}));
    const list = () => ({ data: { webhookEndpoints: [{ ...pager, secret }], balanceAlert: alert } });
    const loseAfterwards = (variables: object) => {
      secret = 'tgwh_another';
      return rotate({ ...variables });
    };
    const { user } = open([], { WebhookEndpoints: list, RotateWebhookSecret: loseAfterwards });
    await user.click(await screen.findByRole('button', { name: 'Show secret' }));
    await user.click(screen.getByRole('button', { name: 'New secret for Pager' }));
    await user.click(await screen.findByRole('button', { name: 'Create a new secret' }));
    await screen.findByText('We could not confirm whether there is a new secret');
    await screen.findByText('tgwh_another');
    expect(screen.queryByText('Nothing has changed')).toBeNull();
  });

  it('deletes an endpoint after a question, and nothing before', async () => {
    const { user, asked } = open([pager], { DeleteWebhookEndpoint: answer({ data: { deleteWebhookEndpoint: true } }) });
    await user.click(await screen.findByRole('button', { name: 'Delete Pager' }));
    await screen.findByText(/This cannot be undone/);
    expect(asked.some(({ name }) => name === 'DeleteWebhookEndpoint')).toBe(false);
    await user.click(screen.getByRole('button', { name: 'Delete endpoint' }));
    await waitFor(() =>
      expect(asked.find(({ name }) => name === 'DeleteWebhookEndpoint')?.variables).toEqual({ id: 'hook_1' }),
    );
  });

  it('names the webhook of the low-balance alert beside the endpoints, and where it is set', async () => {
    open([], {}, { ...alert, webhookUrl: 'https://example.com/alert', use: true });
    await screen.findByText('https://example.com/alert');
    expect(screen.getByRole('link', { name: 'Credits' }).getAttribute('href')).toBe('/credits');
    await screen.findByRole('button', { name: 'Send a test to the alert’s webhook' });
  });
});
