import { type TestAccount, TestApp } from './create-test-app.js';
import type { TestDatabase } from './each-database.js';
import { FakeAnthropic } from './fake-anthropic.js';

/** A server whose Anthropic is a fake, and an account of it with credits. */
export interface ClaudeApp {
  readonly claude: FakeAnthropic;
  readonly app: TestApp;
  readonly account: TestAccount;
}

interface ClaudeSettings {
  readonly openTestDatabase: () => Promise<TestDatabase>;
  /** What the account has bought credits for. */
  readonly dollars?: number;
  readonly operatorKey?: string;
}

/**
 * Starts both before the first test of a suite, and closes them after the last.
 * @param onStart Is given them.
 */
export function runWithClaude(
  { openTestDatabase, dollars = 50, operatorKey = 'sk-ant-operator' }: ClaudeSettings,
  onStart: (started: ClaudeApp) => void,
): void {
  let close = async () => {};
  beforeAll(async () => {
    const claude = await FakeAnthropic.start();
    const app = await TestApp.start(await openTestDatabase(), {
      ANTHROPIC_API_KEY: operatorKey,
      ANTHROPIC_BASE_URL: claude.baseUrl,
    });
    close = async () => {
      await app.close();
      await claude.close();
    };
    onStart({ claude, app, account: await app.createAccount(dollars) });
  });
  afterAll(() => close());
}
