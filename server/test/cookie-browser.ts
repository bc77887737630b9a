import type { TestApp } from './create-test-app.js';

/** What GraphQL answered, and the cookies that came with it. */
export interface BrowserAnswer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
  readonly cookies: readonly string[];
}

export const browserPassword = 'a long enough password';

/** Somebody's browser at GraphQL: it keeps cookies, and comes from one network. The app must trust one proxy. */
export class CookieBrowser {
  readonly #jar: Map<string, string>;

  constructor(
    private readonly app: TestApp,
    private readonly address: string,
    cookies: Readonly<Record<string, string>> = {},
  ) {
    this.#jar = new Map(Object.entries(cookies));
  }

  cookie(name: string): string {
    return this.#jar.get(name) ?? '';
  }

  async ask(
    query: string,
    variables: object = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<BrowserAnswer> {
    const response = await this.#send('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return { ...((await response.json()) as BrowserAnswer), cookies: response.headers.getSetCookie() };
  }

  /** Opens a page of the app. @returns where it leads; null: it shows itself. */
  async open(path: string): Promise<string | null> {
    const response = await this.#send(path, { redirect: 'manual' });
    await response.body?.cancel();
    return response.headers.get('location');
  }

  async #send(path: string, request: RequestInit): Promise<Response> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...request.headers, 'x-forwarded-for': this.address, cookie };
    const response = await fetch(`${this.app.baseUrl}${path}`, { ...request, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#jar.delete(name);
      else this.#jar.set(name, value);
    }
    return response;
  }

  /** @returns the id of the new account. */
  async signUp(email: string): Promise<string> {
    const input = { email, password: browserPassword, name: 'A Person' };
    const query = 'mutation ($input: SignUpInput!) { signUp(input: $input) { account { id } } }';
    return answerOf<{ account: { id: string } }>(await this.ask(query, { input })).account.id;
  }

  signIn(email: string, code?: string): Promise<BrowserAnswer> {
    const input = { email, password: browserPassword, ...(code === undefined ? {} : { code }) };
    return this.ask('mutation ($input: SignInInput!) { signIn(input: $input) { account { id } } }', { input });
  }

  finish(code: string): Promise<BrowserAnswer> {
    return this.ask('mutation ($code: String!) { finishSignIn(input: { code: $code }) { account { id } } }', { code });
  }
}

/** The reason of a refusal; `done`: there is none. */
export function reasonOf({ errors }: BrowserAnswer): unknown {
  return errors?.[0]?.extensions.reason ?? (errors ? errors[0]?.message : 'done');
}

/** What the one operation answered. @throws with its errors. */
export function answerOf<Value>({ data, errors }: BrowserAnswer): Value {
  if (errors) throw new Error(JSON.stringify(errors));
  return Object.values(data ?? {})[0] as Value;
}
