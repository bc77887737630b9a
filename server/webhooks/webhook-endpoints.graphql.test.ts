import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

describeOnEachDatabase('Webhook endpoints in GraphQL', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(0);

  const fields = 'name url events isOn';
  const whole = { name: 'Pager', url: 'https://example.com/hook', events: ['BALANCE_LOW'], isOn: false };
  const create = async (input: object) => {
    const query = `mutation ($input: WebhookEndpointInput!) { createWebhookEndpoint(input: $input) { id ${fields} } }`;
    const variables = { input };
    return (await app.graphql<{ createWebhookEndpoint: { id: string } }>(query, variables, account.sessionToken))
      .createWebhookEndpoint;
  };

  it.each<object>([
    { name: 'Pager 2' },
    { url: 'https://example.com/2' },
    { events: ['CALL_FAILED'] },
    { isOn: true },
    { name: 'Pager 3', url: null, events: null, isOn: null },
    { ...whole, isOn: true },
  ])('keep what the input of a change leaves out: %j', async (input) => {
    const { id } = await create(whole);
    const query = `mutation ($id: ID!, $input: WebhookEndpointInput!) { updateWebhookEndpoint(id: $id, input: $input) { ${fields} } }`;
    const named = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
    expect(await app.graphql(query, { id, input }, account.sessionToken)).toEqual({
      updateWebhookEndpoint: { ...whole, ...named },
    });
    await app.graphql('mutation ($id: ID!) { deleteWebhookEndpoint(id: $id) }', { id }, account.sessionToken);
  });

  it.each(['name', 'url', 'events'] as const)('are not made without their %s', async (field) => {
    const { [field]: _, ...others } = whole;
    await expect(create(others)).rejects.toThrow(`"field":"${field}"`);
  });
});
