import type { SignInProviderSettings } from '../../config/sign-in-settings.js';
import type { AnswerChecks, IdentityProvider, ProvenIdentity } from './identity-provider.js';
import { type Configuration, type ProviderClient, toProviderFault } from './provider-client.js';

/** Where GitHub is. */
export interface GithubPlaces {
  readonly site: string;
  readonly api: string;
}

const github: GithubPlaces = { site: 'https://github.com', api: 'https://api.github.com' };

interface GithubUser {
  readonly id?: unknown;
  readonly login?: unknown;
  readonly name?: unknown;
}

interface GithubEmail {
  readonly email?: unknown;
  readonly primary?: unknown;
  readonly verified?: unknown;
}

/** GitHub, which speaks OAuth 2.0: who it was is asked of its API. The primary address counts, if GitHub has verified it. */
export class GithubProvider implements IdentityProvider {
  readonly id: string;
  readonly label: string;

  constructor(
    private readonly settings: SignInProviderSettings,
    private readonly client: ProviderClient,
    private readonly places: GithubPlaces = github,
  ) {
    this.id = settings.id;
    this.label = settings.label;
  }

  async begin(redirectUri: string) {
    const { scopes } = this.settings;
    return this.client.ask(await this.#configure(), { redirectUri, scopes, hasNonce: false });
  }

  async prove(answer: URL, checks: AnswerChecks): Promise<ProvenIdentity> {
    try {
      const configuration = await this.#configure();
      const { access_token: token } = await this.client.exchange(configuration, answer, checks);
      const user = (await this.#ask(configuration, token, '/user')) as GithubUser | null;
      const listed = await this.#ask(configuration, token, '/user/emails');
      const emails: readonly GithubEmail[] = Array.isArray(listed) ? listed : [];
      if (typeof user?.id !== 'number') throw new Error('no id of a user');
      const primary = emails.find((entry) => entry?.primary === true);
      return {
        issuer: this.settings.issuer,
        subject: String(user.id),
        email: typeof primary?.email === 'string' ? primary.email : null,
        isEmailVerified: primary?.verified === true,
        name: typeof user.name === 'string' && user.name !== '' ? user.name : null,
        login: typeof user.login === 'string' ? user.login : null,
      };
    } catch (error) {
      throw toProviderFault(error);
    }
  }

  async #configure(): Promise<Configuration> {
    const library = await this.client.load();
    const { issuer, clientId, clientSecret } = this.settings;
    const { site } = this.places;
    const server = {
      issuer,
      authorization_endpoint: `${site}/login/oauth/authorize`,
      token_endpoint: `${site}/login/oauth/access_token`,
    };
    const byPost = library.ClientSecretPost(clientSecret.reveal());
    const configuration = new library.Configuration(server, clientId, undefined, byPost);
    configuration[library.customFetch] = this.client.fetch;
    configuration.timeout = this.client.bounds.timeoutMs / 1_000;
    if (site.startsWith('http:')) library.allowInsecureRequests(configuration);
    return configuration;
  }

  async #ask(configuration: Configuration, token: string, path: string): Promise<unknown> {
    const library = await this.client.load();
    const headers = new Headers({ accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' });
    const url = new URL(`${this.places.api}${path}`);
    const response = await library.fetchProtectedResource(configuration, token, url, 'GET', null, headers);
    if (!response.ok) throw Object.assign(new Error('not answered'), { status: response.status });
    return response.json();
  }
}
