import { ContractUpstream } from './contract-upstream.js';
import { type TestAccount, TestApp } from './create-test-app.js';
import type { TestDatabase } from './each-database.js';
import { type MatrixWire, pathOf, toWireBody, type WireQuestion } from './wire-questions.js';

/** What came of one call: its answer, what is written down of it, and what it cost. */
export interface WireCall {
  readonly status: number;
  readonly text: string;
  readonly receipt: Record<string, unknown> | undefined;
  readonly chargedMillicredits: number;
}

/** A server whose providers play the recorded answers of the contracts, and one account that calls it on any wire. */
export class ContractApp {
  #chargedMillicredits = 0;

  private constructor(
    readonly upstream: ContractUpstream,
    private readonly app: TestApp,
    private readonly account: TestAccount,
    private readonly startedWith: number,
  ) {}

  static async start(database: TestDatabase): Promise<ContractApp> {
    const upstream = await ContractUpstream.start();
    const app = await TestApp.start(database, upstream.settings);
    const account = await app.createAccount(100);
    return new ContractApp(upstream, app, account, (await app.findWallet(account.accountId)).posted);
  }

  /** Asks a question of chat completions in the words of a wire. */
  async ask(wire: MatrixWire, chat: Parameters<typeof toWireBody>[1], question: WireQuestion): Promise<WireCall> {
    const response = await this.app.call(this.account.secret, toWireBody(wire, chat, question), pathOf[wire]);
    const text = await response.text();
    const callId = response.headers.get('x-request-id');
    const [receipt] = await this.app.query(`SELECT * FROM call_record WHERE call_id = '${callId}'`);
    const chargedMillicredits = Number(receipt?.charged_millicredits ?? 0);
    this.#chargedMillicredits += chargedMillicredits;
    return { status: response.status, text, receipt, chargedMillicredits };
  }

  /** Proves before it ends that the balance fell by what all calls cost together, and that nothing is held. */
  async close(): Promise<void> {
    const posted = this.startedWith - this.#chargedMillicredits;
    expect(await this.app.findWallet(this.account.accountId)).toEqual({ posted, pending: 0 });
    await this.app.close();
    await this.upstream.close();
  }
}
