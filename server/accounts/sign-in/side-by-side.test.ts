import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { postGraphql } from '../../test/post-graphql.js';

const password = 'a long enough password';
const office = '192.0.2.200';

describeOnEachDatabase('sign-ins side by side', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { TRUST_PROXY: '1' });
  beforeAll(async () => {
    for (let n = 0; n < 24; n += 1)
      await ask('signUp', { email: emailOf(n), password, name: 'A Person' }, `192.0.2.${n}`);
  });

  const emailOf = (n: number) => `person-${n}@example.com`;
  async function ask(mutation: 'signIn' | 'signUp', input: object, address: string): Promise<string> {
    const type = `S${mutation.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { sessionToken } }`;
    const response = await postGraphql(app.baseUrl, { query, variables: { input } }, { 'x-forwarded-for': address });
    const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
    return errors?.[0]?.extensions.code ?? 'let in';
  }
  const signIn = (n: number, typed = password) => ask('signIn', { email: emailOf(n), password: typed }, office);
  const people = Array.from({ length: 24 }, (_, n) => n);

  it('of an office that all know their passwords are all let in', async () => {
    expect(await Promise.all(people.map((n) => signIn(n)))).toEqual(people.map(() => 'let in'));
  });

  it('of many jobs of one account are all let in', async () => {
    expect(await Promise.all(people.map(() => signIn(0)))).toEqual(people.map(() => 'let in'));
  });

  it('with wrong passwords are ten, however many come at once', async () => {
    const answers = await Promise.all(people.map((n) => signIn(n % 3, `guess ${n}`)));
    expect(answers.filter((answer) => answer === 'UNAUTHENTICATED')).toHaveLength(10);
    expect(answers.filter((answer) => answer === 'RATE_LIMITED')).toHaveLength(14);
    expect(await signIn(0)).toBe('RATE_LIMITED');
  });
});
