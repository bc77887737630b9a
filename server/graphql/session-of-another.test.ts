import { browserPassword, CookieBrowser, reasonOf } from '../test/cookie-browser.js';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { listOperations, toSampleRequest } from '../test/sample-request.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

const operations = listOperations(buildGraphqlSchema(resolverClasses, new Map()));
const mutations = operations.filter(({ kind }) => kind === 'mutation');
const queries = operations.filter(({ kind }) => kind === 'query');
const chat = { model: 'demo-small', messages: [{ role: 'user', content: 'hello' }], max_tokens: 5 };

describeOnEachDatabase(
  'A page that shows another account than the session of its browser is of',
  (openTestDatabase) => {
    const app = TestApp.forAll(openTestDatabase, { TRUST_PROXY: '1' });
    let browser: CookieBrowser;
    let accountId: string;

    beforeAll(async () => {
      browser = new CookieBrowser(app, '198.51.100.1');
      accountId = await browser.signUp('owner@example.com');
    });

    const shows = (personId: string, shownId = personId) => ({ 'tollgate-session-of': `${personId} ${shownId}` });
    const askPlayground = async (path: string, headers: Readonly<Record<string, string>>) => {
      const response = await fetch(`${app.baseUrl}/playground/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: `sid=${browser.cookie('sid')}`, ...headers },
        body: JSON.stringify(chat),
      });
      const { error } = (await response.json()) as { error?: { code: string } };
      return { status: response.status, code: error?.code ?? null };
    };

    it.each(mutations.map((one) => [one.name, one] as const))('changes nothing by %s', async (_, mutation) => {
      const { query, variables } = toSampleRequest(mutation);
      expect(reasonOf(await browser.ask(query, variables, shows('acct_another')))).toBe('session_of_another');
    });

    it('is known by the person and by the account, is told in words, and may ask what is so', async () => {
      const rename = 'mutation { updateProfile(input: { name: "Somebody" }) { name } }';
      for (const shown of [
        shows(accountId, 'acct_team'),
        shows('acct_another', accountId),
        { 'tollgate-session-of': '' },
      ]) {
        const { errors } = await browser.ask(rename, {}, shown);
        expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT', reason: 'session_of_another' } }]);
        expect(errors?.[0]?.message).toMatch(/Nothing was changed/);
      }
      expect(await browser.ask('{ viewer { id name } }', {}, shows('acct_another'))).toMatchObject({
        data: { viewer: { id: accountId, name: 'A Person' } },
      });
      for (const one of queries) {
        const { query, variables } = toSampleRequest(one);
        expect(reasonOf(await browser.ask(query, variables, shows('acct_another')))).not.toBe('session_of_another');
      }
    });

    it('calls nothing in the playground', async () => {
      const refused = { status: 409, code: 'session_of_another' };
      for (const path of ['chat/completions', 'estimate']) {
        expect(await askPlayground(path, shows('acct_another'))).toEqual(refused);
        expect((await askPlayground(path, shows(accountId))).code).not.toBe('session_of_another');
      }
    });

    it('is asked of nobody who says nothing of it, and of nobody who signs in', async () => {
      const rename = 'mutation { updateProfile(input: { name: "A Person" }) { name } }';
      expect(reasonOf(await browser.ask(rename))).toBe('done');
      expect(reasonOf(await browser.ask(rename, {}, shows(accountId)))).toBe('done');
      const nobody = new CookieBrowser(app, '198.51.100.2');
      const input = { email: 'owner@example.com', password: browserPassword };
      const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { account { id } } }';
      expect(reasonOf(await nobody.ask(signIn, { input }, shows('acct_another')))).toBe('done');
    });
  },
);
