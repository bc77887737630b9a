import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { InvalidConfigError } from '../config/config.js';
import { systemClock } from '../kernel/clock.js';
import { PlainFailure } from '../kernel/settings/plain-failure.js';
import { findSecret } from '../kernel/settings/secret-setting.js';
import { loadProgramConfig, readWords, runOperatorProgram, UsageError } from './operator-program.js';
import { demoEmail, SeedRefusedError, seedDemoAccount } from './seed-demo-account.js';

/*
 * `npm run seed`: the demo account with months of use, in the database of the settings. SEED_PASSWORD gives it a password
 * that a script knows; else one is made and printed. Exit status: 0 it is there, 1 refused.
 */
const usualCallCount = '6000';
const program = {
  usage: 'Usage: npm run seed [-- <number of calls>]',
  failure: 'The demo account was not made.',
  exitCodes: { usage: 1, failed: 1 },
};

await runOperatorProgram(program, async () => {
  const [words = usualCallCount, beyond] = readWords(process.argv.slice(2)).positionals;
  if (beyond !== undefined) throw new UsageError(`Nothing is known about ${JSON.stringify(beyond)}.`);
  const callCount = /^[1-9]\d{0,6}$/.test(words) ? Number(words) : 0;
  if (callCount < 1 || callCount > 1_000_000) {
    throw new UsageError('The number of calls is a whole number from 1 to 1,000,000.');
  }
  const config = loadProgramConfig(process.env, { mustFileExist: false, isSpoolUsed: true });
  const { value, fault } = findSecret('SEED_PASSWORD', process.env);
  if (fault !== null) throw new InvalidConfigError([fault]);
  const password = value ?? `demo-${randomBytes(6).toString('hex')}`;
  const options = { config, password, callCount, seed: 1, nowMs: systemClock.nowMs() };
  const made = await seedDemoAccount(options).catch((error: unknown) => {
    throw error instanceof SeedRefusedError ? new PlainFailure(error.message) : error;
  });
  const address = `${config.publicUrl}/sign-in`;
  console.log(`The demo account has ${made} calls. Sign in at ${address} with\n\n  ${demoEmail}\n  ${password}\n`);
  return 0;
});
