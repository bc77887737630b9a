import { FakeClock } from '../kernel/clock.js';
import { CookieBrowser } from './cookie-browser.js';
import { TestApp } from './create-test-app.js';
import type { TestDatabase } from './each-database.js';
import { FakeSmtp } from './fake-smtp.js';

/** What seals secrets in tests. */
export const testSecretsKey = 'a-secrets-key-of-this-test-0123456789';

/** An application whose accounts can have second factors, whose mails can be read, and whose time the test moves. */
export class FactorApp {
  #networks = 0;

  private constructor(
    readonly app: TestApp,
    readonly smtp: FakeSmtp,
    readonly clock: FakeClock,
  ) {}

  /** @param nowMs When it begins. @param more Further settings. */
  static async start(
    database: TestDatabase,
    nowMs = Date.now(),
    more: Readonly<Record<string, string>> = {},
  ): Promise<FactorApp> {
    const smtp = await FakeSmtp.start();
    const clock = new FakeClock(nowMs);
    const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@tollgate.test' };
    const settings = { TRUST_PROXY: '1', SECRETS_KEY: testSecretsKey, ...mail, ...more };
    return new FactorApp(await TestApp.start(database, settings, clock), smtp, clock);
  }

  /** A browser of a network of its own. */
  newBrowser(cookies?: Readonly<Record<string, string>>): CookieBrowser {
    this.#networks += 1;
    return new CookieBrowser(this.app, `198.51.${this.#networks}.1`, cookies);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.smtp.close();
  }
}
