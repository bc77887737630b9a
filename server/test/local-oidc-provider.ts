import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { closeServer, listenLocally, urlOf } from './local-server.js';

/** Who signs in at the provider. */
export interface LocalPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

/** What this double needs of the provider's library, which comes without types. */
interface LibraryProvider {
  callback(): RequestListener;
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: object,
    options: object,
  ): Promise<void>;
  readonly Grant: new (facts: object) => { addOIDCScope(scopes: string): void; save(): Promise<void> };
}
interface LibraryContext {
  readonly oidc: {
    readonly provider: LibraryProvider;
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}
type ProviderClass = new (issuer: string, configuration: object) => LibraryProvider;

/** A real OpenID Connect provider on this machine, where whoever comes is signed in as `person` without a question. */
export class LocalOidcProvider {
  person: LocalPerson = { sub: 'nobody' };
  /** Asked first about every request; true: it has answered in the provider's place. */
  disturb: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly clientId = 'tollgate-test';
  readonly clientSecret = randomBytes(24).toString('base64url');

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start(redirectUri: string): Promise<LocalOidcProvider> {
    const server = createServer();
    await listenLocally(server);
    const issuer = urlOf(server);
    const local = new LocalOidcProvider(server, issuer);
    const provider = await openProvider(issuer, local.#configure(redirectUri));
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (local.disturb(request, response)) return;
      if (!request.url?.startsWith('/interaction/')) return answer(request, response);
      const login = { login: { accountId: local.person.sub } };
      void provider.interactionFinished(request, response, login, { mergeWithLastSubmission: false });
    });
    return local;
  }

  /** The settings by which a server takes it for the provider `local`. */
  get settings(): Record<string, string> {
    return {
      OIDC_LOCAL_ISSUER: this.issuer,
      OIDC_LOCAL_CLIENT_ID: this.clientId,
      OIDC_LOCAL_CLIENT_SECRET: this.clientSecret,
    };
  }

  /** Goes through the provider's pages as a new browser would. @returns the address to which it is sent back. */
  async visit(address: string): Promise<string> {
    const jar = new Map<string, string>();
    for (let url = address; ; ) {
      if (!url.startsWith(this.issuer)) return url;
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(name, value);
      }
      const next = response.headers.get('location');
      if (next === null) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
      url = new URL(next, url).href;
    }
  }

  async close(): Promise<void> {
    await closeServer(this.server);
  }

  #configure(redirectUri: string): object {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    return {
      clients: [{ client_id: this.clientId, client_secret: this.clientSecret, redirect_uris: [redirectUri] }],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'test' }] },
      cookies: { keys: [randomBytes(24).toString('base64url')] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ ...this.person, sub }) }),
      async loadExistingGrant({ oidc: { provider, client, session } }: LibraryContext) {
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    };
  }
}

// The library tells operators on the console what nobody needs to hear of a test.
async function openProvider(issuer: string, configuration: object): Promise<LibraryProvider> {
  const { warn } = console;
  console.warn = () => {};
  try {
    const library = (await import('oidc-provider' as string)) as { readonly default: ProviderClass };
    return new library.default(issuer, configuration);
  } finally {
    console.warn = warn;
  }
}
