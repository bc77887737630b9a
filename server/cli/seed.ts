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
 * that a script knows; else one is made. Both are printed as soon as the account is there. SIGINT and SIGTERM end it after the call
 * under way, a second one at once. Exit status: 0 it is there, 1 refused, 130 or 143 ended by a signal.
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
  const stop = new AbortController();
  const onSignal = (_: string, signal: number) => stop.abort(signal);
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const onAccount = () =>
    console.log(
      `Making about ${callCount} calls of a demo account. Sign in at ${config.publicUrl}/sign-in with\n\n  ${demoEmail}\n  ${password}\n`,
    );
  const options = { config, password, callCount, seed: 1, nowMs: systemClock.nowMs(), onAccount, stop: stop.signal };
  const made = await seedDemoAccount(options).catch((error: unknown) => {
    throw error instanceof SeedRefusedError ? new PlainFailure(error.message) : error;
  });
  if (!made.isWhole) {
    console.error(`Stopped: the demo account has the first ${made.callCount} of them, and can be signed in to.`);
    return 128 + Number(stop.signal.reason);
  }
  console.log(`The demo account has ${made.callCount} calls.`);
  return 0;
});
