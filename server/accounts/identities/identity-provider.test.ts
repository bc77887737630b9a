import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { systemClock } from '../../kernel/clock.js';
import { Secret } from '../../kernel/secret.js';
import { closeServer, listenLocally, urlOf } from '../../test/local-server.js';
import { GithubProvider } from './github-provider.js';
import { type IdentityProvider, ProviderFaultError } from './identity-provider.js';
import { OpenIdProvider } from './open-id-provider.js';
import { ProviderClient } from './provider-client.js';

const redirectUri = 'http://tollgate.test/sign-in/callback/github';
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error) => (error instanceof ProviderFaultError ? error.fault : error),
  );

describe('A provider by which people sign in', () => {
  let server: Server;
  let issuer: string;
  let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
  const bytesMax = 20_000;
  const client = new ProviderClient({ timeoutMs: 30_000, bytesMax });
  const impatient = new ProviderClient({ timeoutMs: 300, bytesMax });
  const settingsOf = (id: 'github' | 'oidc') =>
    ({ kind: id, id, label: id, issuer, clientId: 'id', clientSecret: new Secret('hush'), scopes: 'openid' }) as const;

  beforeEach(async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      answer(request, response, body);
    });
    await listenLocally(server);
    issuer = urlOf(server);
  });
  afterEach(async () => {
    await closeServer(server);
  });

  const json = (response: ServerResponse, value: unknown, status = 200) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const finish = async (provider: IdentityProvider) => {
    const { url, checks } = await provider.begin(redirectUri);
    const state = new URL(url).searchParams.get('state');
    return provider.prove(new URL(`${redirectUri}?code=a-code&state=${state}`), checks);
  };

  it.each<[string, string, (response: ServerResponse) => void, ProviderClient?]>([
    ['says nothing', 'away', () => {}, impatient],
    ['begins an answer and goes on no further', 'away', (response) => void response.write('{'), impatient],
    ['answers without end', 'away', (response) => void response.end(`{"issuer":"${'x'.repeat(30_000)}"}`)],
    ['hangs up', 'away', (response) => void response.destroy()],
    ['is broken', 'away', (response) => json(response, {}, 500)],
    [
      'answers nonsense',
      'refused',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<'),
    ],
    ['is another one', 'refused', (response) => json(response, { issuer: 'https://elsewhere.example' })],
    [
      'sends elsewhere',
      'refused',
      (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
  ])(
    'that %s is given up as %s, in bounded time and memory, and asked again the next time',
    async (_, fault, reply, asking = client) => {
      answer = (_request, response) => {
        response.setHeader('content-type', 'application/json');
        reply(response);
      };
      const provider = new OpenIdProvider(settingsOf('oidc'), asking, systemClock);
      expect(await faultOf(provider.begin(redirectUri))).toBe(fault);
      answer = (_request, response) =>
        json(response, { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` });
      // On a busy machine the impatient one may give up on a good answer, too, and more than once.
      while (asking === impatient && (await faultOf(provider.begin(redirectUri))) === 'away') await turnOfTheLoop();
      expect(await faultOf(provider.begin(redirectUri))).toBe('none');
    },
  );

  it('that is asked for as much at once as it may be is away at once for one more, and no longer than until it answers', async () => {
    const held: ServerResponse[] = [];
    answer = (_request, response) => void held.push(response);
    const asking = new ProviderClient({ timeoutMs: 30_000, bytesMax, atOnceMax: 2 });
    const provider = new GithubProvider(settingsOf('github'), asking, { site: issuer, api: issuer });
    const two = [faultOf(finish(provider)), faultOf(finish(provider))];
    while (held.length < 2) await turnOfTheLoop();
    const refused = await finish(provider).catch((error) => error);
    expect(refused).toMatchObject({ fault: 'away', cause: { message: 'TOO_MANY_AT_ONCE' } });
    answer = (_request, response) => json(response, { error: 'bad_verification_code' }, 400);
    for (const response of held) json(response, { error: 'bad_verification_code' }, 400);
    expect(await Promise.all(two)).toEqual(['refused', 'refused']);
    expect(await faultOf(finish(provider))).toBe('refused');
  });

  describe('as GitHub', () => {
    let emails: unknown;
    let token: unknown;
    let asked: string[];
    beforeEach(() => {
      emails = [
        { email: 'old@example.com', primary: false, verified: true },
        { email: 'ada@example.com', primary: true, verified: true },
      ];
      token = { access_token: 'a-token', token_type: 'bearer' };
      asked = [];
      answer = ({ url, headers }, response, body) => {
        asked.push(`${url} ${headers.authorization ?? body}`);
        if (url === '/login/oauth/access_token') json(response, token);
        else json(response, url === '/user' ? { id: 42, login: 'ada', name: 'Ada L' } : emails);
      };
    });
    const open = () => new GithubProvider(settingsOf('github'), client, { site: issuer, api: issuer });

    it('is believed about its own id of a person and the primary address, by a code with PKCE and a token', async () => {
      expect(await finish(open())).toEqual({
        ...{ issuer, subject: '42', email: 'ada@example.com', isEmailVerified: true },
        ...{ name: 'Ada L', login: 'ada' },
      });
      expect(asked[0]).toMatch(/code=a-code/);
      expect(asked[0]).toMatch(/code_verifier=[\w-]{43}/);
      expect(asked.slice(1)).toEqual(['/user Bearer a-token', '/user/emails Bearer a-token']);
    });

    it('has verified no address where the primary one is not, whatever others are', async () => {
      emails = [
        { email: 'ada@example.com', primary: true, verified: false },
        { email: 'else@example.com', primary: false, verified: true },
      ];
      expect(await finish(open())).toMatchObject({ email: 'ada@example.com', isEmailVerified: false });
      emails = { message: 'no scope' };
      expect(await finish(open())).toMatchObject({ email: null, isEmailVerified: false });
    });

    it('is not believed with an error in the place of a token, nor with the state of somebody else', async () => {
      token = { error: 'bad_verification_code' };
      expect(await faultOf(finish(open()))).toBe('refused');
      const { checks } = await open().begin(redirectUri);
      const forged = open().prove(new URL(`${redirectUri}?code=a-code&state=guessed`), checks);
      expect(await faultOf(forged)).toBe('refused');
    });
  });
});
