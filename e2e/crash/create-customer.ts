import { postGraphql } from '../../server/test/post-graphql.js';

/** An account with credits and a key. */
export interface Customer {
  readonly accountId: string;
  readonly apiKey: string;
  readonly sessionToken: string;
}

/** Signs somebody up, who gets the credits that the server gives to everybody, and makes a key. */
export async function createCustomer(baseUrl: string, number: number): Promise<Customer> {
  const input = { email: `caller-${number}@example.com`, password: 'a long enough password', name: 'A Caller' };
  const { signUp } = await askGraphql<{ signUp: { sessionToken: string; account: { id: string } } }>(
    baseUrl,
    'mutation ($input: SignUpInput!) { signUp(input: $input) { sessionToken account { id } } }',
    { variables: { input } },
  );
  const { sessionToken } = signUp;
  const { createApiKey } = await askGraphql<{ createApiKey: { secret: string } }>(
    baseUrl,
    'mutation { createApiKey(input: { name: "crash" }) { secret } }',
    { sessionToken },
  );
  return { accountId: signUp.account.id, apiKey: createApiKey.secret, sessionToken };
}

/** @throws when the server answers with an error. */
export async function askGraphql<Data>(
  baseUrl: string,
  query: string,
  { variables = {}, sessionToken }: { variables?: object; sessionToken?: string },
): Promise<Data> {
  const authorization = sessionToken ? { authorization: `Bearer ${sessionToken}` } : {};
  const answer = await postGraphql(baseUrl, { query, variables }, authorization);
  const { data, errors } = (await answer.json()) as { data: Data; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
