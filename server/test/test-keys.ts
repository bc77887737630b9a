import type { TestAccount, TestApp } from './create-test-app.js';

/** The account's newest key. */
export async function findKeyId(app: TestApp, { sessionToken }: TestAccount): Promise<string> {
  const { apiKeys } = await app.graphql<{ apiKeys: { id: string }[] }>('{ apiKeys { id } }', {}, sessionToken);
  return String(apiKeys[0]?.id);
}

/** Changes the account's newest key as its owner, who is signed in. */
export async function changeKey(app: TestApp, account: TestAccount, settings: object): Promise<void> {
  await app.graphql(
    'mutation ($id: ID!, $input: ApiKeyInput!) { updateApiKey(id: $id, input: $input) { id } }',
    { id: await findKeyId(app, account), input: { name: 'test', ...settings } },
    account.sessionToken,
  );
}

/** Gives the account's newest key another secret. */
export async function rotateKey(app: TestApp, account: TestAccount, graceSeconds: number): Promise<string> {
  const { rotateApiKey } = await app.graphql<{ rotateApiKey: { secret: string } }>(
    'mutation ($id: ID!, $grace: Int) { rotateApiKey(id: $id, graceSeconds: $grace) { secret } }',
    { id: await findKeyId(app, account), grace: graceSeconds },
    account.sessionToken,
  );
  return rotateApiKey.secret;
}

export async function revokeKey(app: TestApp, account: TestAccount): Promise<void> {
  const id = await findKeyId(app, account);
  await app.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id }, account.sessionToken);
}
