import { type TestAccount, TestApp } from '../../server/test/create-test-app.js';
import type { TestDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { type RecordedExchange, WireRecorder } from '../../server/test/wire-recorder.js';
import { ClientDriver, type Question, type Seen } from './client-driver.js';

export interface Outcome {
  readonly seen: Seen;
  /** One for each request that the client made, oldest first. */
  readonly exchanges: readonly RecordedExchange[];
  readonly chargedMillicredits: number;
}

export type MatrixQuestion = Pick<Question, 'client' | 'isStreamed'> &
  Partial<Question> & {
    /** Whole dollars on the account that asks; 5 when left out. */
    readonly dollars?: number;
    /** The user leaves as soon as the provider has the request. */
    readonly leavesEarly?: boolean;
  };

/** The whole way from a real client to a fake provider, with a recorder between client and server. */
export class ClientMatrix {
  /** Accounts are made one after the other: a crowd that signs up at once is told to come again. */
  #lastAccount: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly app: TestApp,
    private readonly recorder: WireRecorder,
    private readonly driver: ClientDriver,
  ) {}

  /** @param settings Besides those of `TestApp`. */
  static async start(database: TestDatabase, settings: Readonly<Record<string, string>> = {}): Promise<ClientMatrix> {
    const app = await TestApp.start(database, settings);
    return new ClientMatrix(app, await WireRecorder.start(app.baseUrl), new ClientDriver());
  }

  /** Asks once, with an account of its own, and waits until the account holds nothing any more. */
  async ask({ dollars = 5, leavesEarly = false, ...changes }: MatrixQuestion): Promise<Outcome> {
    const account = await this.#createAccount(dollars);
    const before = await this.app.findWallet(account.accountId);
    const baseUrl = `${this.recorder.baseUrl}/api/proxy.php`;
    const question = { baseUrl, apiKey: account.secret, model: 'gpt-4o-mini', text: 'Hello', ...changes };
    const leaving = new AbortController();
    const answered = this.driver.ask(question, leaving.signal);
    if (leavesEarly) {
      await this.#waitForUpstream(question.text);
      leaving.abort();
    }
    const seen = await answered;
    const exchanges = await this.recorder.exchangesOf(question.apiKey);
    await this.app.waitUntilSettled(account.accountId);
    const after = await this.app.findWallet(account.accountId);
    return { seen, exchanges, chargedMillicredits: before.posted - after.posted };
  }

  async close(): Promise<void> {
    this.driver.close();
    await this.recorder.close();
    await this.app.close();
  }

  #createAccount(dollars: number): Promise<TestAccount> {
    const made = this.#lastAccount.then(() => this.app.createAccount(dollars));
    this.#lastAccount = made.catch(() => {});
    return made;
  }

  async #waitForUpstream(text: string): Promise<void> {
    const hasCome = () => this.app.upstream.requests.some((request) => request.text.includes(text));
    await eventually(hasCome);
  }
}
