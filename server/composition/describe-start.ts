import type { Config } from '../config/config.js';

/**
 * What a person at a terminal is told of a server that has started: where it is, what is only for trying out, what to do next.
 * @param operatorLink Makes the first operator; null: there is one, or nobody can be.
 */
export function describeStart(
  { publicUrl, isDemoProviderOn, signupMillicredits, isProduction, stripe, database, secretsKey }: Config,
  operatorLink: string | null = null,
): string {
  const lines = [`Tollgate is ready: ${publicUrl}`];
  if (isDemoProviderOn) lines.push('The demo is on: the models demo-small and demo-large answer without any provider.');
  if (!isProduction && stripe === null) lines.push('No real money is taken: the checkout is simulated.');
  const gift = signupMillicredits > 0 ? `; it starts with ${signupMillicredits / 1_000} credits` : '';
  lines.push(`Next: create an account at ${publicUrl}/sign-up${gift}.`);
  const isConsoleClosed = database.kind === 'mysql' && secretsKey === null;
  if (isConsoleClosed)
    lines.push('To run it from the console, set SECRETS_KEY first: on MySQL nobody can join without it.');
  if (operatorLink !== null) lines.push(`To run it from the console, within a day and once: ${operatorLink}`);
  lines.push('Or see one with months of use: npm run seed');
  return `\n${lines.map((line) => `  ${line}\n`).join('')}\n`;
}
