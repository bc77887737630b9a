import type { Config } from './config.js';

/** What a person at a terminal is told of a server that has started: where it is, what is only for trying out, what to do next. */
export function describeStart({
  publicUrl,
  isDemoProviderOn,
  signupMillicredits,
  isProduction,
  stripe,
}: Config): string {
  const lines = [`Tollgate is ready: ${publicUrl}`];
  if (isDemoProviderOn) lines.push('The demo is on: the models demo-small and demo-large answer without any provider.');
  if (!isProduction && stripe === null) lines.push('No real money is taken: the checkout is simulated.');
  const gift = signupMillicredits > 0 ? `; it starts with ${signupMillicredits / 1_000} credits` : '';
  lines.push(`Next: create an account at ${publicUrl}/sign-up${gift}.`);
  lines.push('Or see one with months of use: npm run seed');
  return `\n${lines.map((line) => `  ${line}\n`).join('')}\n`;
}
