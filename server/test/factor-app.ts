import { FakeClock } from '../kernel/clock.js';
import { CookieBrowser } from './cookie-browser.js';
import { TestApp } from './create-test-app.js';
import type { OpenTestDatabase, TestDatabase } from './each-database.js';
import { FakeSmtp } from './fake-smtp.js';

/** What seals secrets in tests. */
export const testSecretsKey = 'a-secrets-key-of-this-test-0123456789';

/** Settings of a server beside those that its tests have anyway. */
type Settings = Readonly<Record<string, string>>;

/** An application whose accounts can have second factors, whose mails can be read, and whose time the test moves. */
export class FactorApp {
  #networks = 0;
  app!: TestApp;
  smtp!: FakeSmtp;
  clock!: FakeClock;

  private constructor() {}

  /** @param nowMs When it begins. @param more Further settings. */
  static async start(database: TestDatabase, nowMs = Date.now(), more: Settings = {}): Promise<FactorApp> {
    const opened = new FactorApp();
    await opened.#start(database, nowMs, more);
    return opened;
  }

  /** One that all tests of the suite around it share, from now on; it is closed behind them. Settings may be told by what starts before it. */
  static forAll(openTestDatabase: OpenTestDatabase, more: Settings | (() => Settings) = {}): FactorApp {
    const opened = new FactorApp();
    const told = () => (typeof more === 'function' ? more() : more);
    beforeAll(async () => opened.#start(await openTestDatabase(), Date.now(), told()), 60_000);
    afterAll(() => opened.close());
    return opened;
  }

  async #start(database: TestDatabase, nowMs: number, more: Settings): Promise<void> {
    this.smtp = await FakeSmtp.start();
    this.clock = new FakeClock(nowMs);
    const mail = { SMTP_URL: this.smtp.url, MAIL_FROM: 'no-reply@tollgate.test' };
    const settings = { TRUST_PROXY: '1', SECRETS_KEY: testSecretsKey, ...mail, ...more };
    this.app = await TestApp.start(database, settings, this.clock);
  }

  /** Another server on its database, by the same clock; itself where that is a SQLite file, which has one server. */
  async startBeside(settings: Settings = {}): Promise<TestApp> {
    if (this.app.isSqlite) return this.app;
    const database = { ...this.app.database, drop: async () => {} };
    return TestApp.start(database, { ...settings, SECRETS_KEY: testSecretsKey }, this.clock);
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
