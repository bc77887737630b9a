import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { InvalidConfigError, loadConfig } from './config.js';
import { systemClock } from './kernel/clock.js';
import { demoEmail, SeedRefusedError, seedDemoAccount } from './seed-demo-account.js';

/*
 * `npm run seed`: the demo account with months of use, in the database of the settings. SEED_PASSWORD gives it a password
 * that a script knows; else one is made and printed. Exit status: 0 it is there, 1 refused.
 */
const usualCallCount = 6_000;

try {
  const config = loadConfig(process.env);
  const password = process.env.SEED_PASSWORD || `demo-${randomBytes(6).toString('hex')}`;
  const callCount = Number(process.argv[2] ?? usualCallCount);
  if (!Number.isInteger(callCount) || callCount < 1 || callCount > 1_000_000) {
    throw new SeedRefusedError('The number of calls is a whole number from 1 to 1,000,000.');
  }
  const made = await seedDemoAccount({ config, password, callCount, seed: 1, nowMs: systemClock.nowMs() });
  console.log(`The demo account has ${made} calls. Sign in with\n\n  ${demoEmail}\n  ${password}\n`);
} catch (error) {
  const isPlain = error instanceof SeedRefusedError || error instanceof InvalidConfigError;
  console.error(isPlain ? error.message : error);
  process.exitCode = 1;
}
