import type { Page } from 'playwright-core';
import { totpCodeAt } from '../../server/factors/totp.js';
import { runProgram } from '../../server/test/run-program.js';

const password = 'a long enough operator’s password';

/** Where a server is, and its file. */
interface Place {
  readonly baseUrl: string;
  readonly file: string;
}

/** By the link that the operator's program prints where there is no terminal. */
export async function joinAsOperator(page: Page, { baseUrl, file }: Place, name: string): Promise<void> {
  const words = ['operator', 'invite', '--reason', 'First start'];
  const settings = { PUBLIC_URL: baseUrl, LOG_LEVEL: 'warn' };
  const { output } = await runProgram('tollgate.js', { kind: 'sqlite', file }, { words, settings });
  await page.goto(output.trim());
  const key = page.getByRole('region', { name: 'the key for your app' });
  const secret = (await key.innerText()).replaceAll(/\s/g, '');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(`${name.toLowerCase()}@tollgate.test`);
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('textbox', { name: 'Code' }).fill(totpCodeAt(secret, Date.now()));
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}
