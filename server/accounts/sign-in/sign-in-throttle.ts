import { networkOf } from '../../kernel/addresses/network-address.js';
import { AppError } from '../../kernel/app-error.js';
import type { AttemptCounter, AttemptStanding, OpenAttemptCounter } from '../../kernel/attempt-counter.js';
import { findWaitMs } from '../../kernel/jobs/count-in-all.js';
import { AttemptsAtOnceError, RunningAttempts } from '../../kernel/jobs/running-attempts.js';
import { PasswordsBusyError } from './passwords.js';

const failuresMax = 10;
const windowMs = 15 * 60_000;
/** After so many failures for one account, from wherever, each network is granted only so many for it. */
const narrowed = [
  { from: 100, perNetwork: 1 },
  { from: failuresMax, perNetwork: 3 },
] as const;

/** Who tries to sign in: the account that is aimed at, and where from. */
export interface SignInAttempt {
  readonly emailNormalised: string;
  readonly address: string;
  /** The device from which the account's owner has signed in before, as `KnownDevices` knows it; null: an unknown one. */
  readonly deviceId: string | null;
}

/**
 * Slows down the guessing of passwords, ten failures in fifteen minutes, without a way for strangers to lock an owner out.
 * Counted are each network, whatever account it aims at, and each network for each account; when many networks aim at one
 * account, each of them is granted fewer, but never none. A device that the owner has used is counted by itself, so nothing
 * that strangers do closes its way in. Counted by all instances together.
 */
export class SignInThrottle {
  readonly #byNetwork: AttemptCounter;
  readonly #byNetworkAndAccount: AttemptCounter;
  readonly #byAccount: AttemptCounter;
  readonly #byDevice: AttemptCounter;
  readonly #running: RunningAttempts;

  /** @param pause As `RunningAttempts` has it. */
  constructor(openCounter: OpenAttemptCounter, pause?: () => Promise<unknown>) {
    const open = (kind: string, max = failuresMax) => openCounter({ kind: `sign-in ${kind}`, max, windowMs });
    this.#byNetwork = open('network');
    this.#byNetworkAndAccount = open('network and account');
    this.#byAccount = open('account', Number.POSITIVE_INFINITY);
    this.#byDevice = open('device');
    this.#running = new RunningAttempts(openCounter, 'sign-in', pause);
  }

  /**
   * Runs an attempt. It counts as failed from its start, so that attempts side by side cannot slip through; when it was right it
   * does not count, and earlier failures from there for this account are forgotten. Nor does one that was turned away before anything
   * was compared. One that finds no room because of others that still run waits for them.
   * @param prove Throws when the attempt was wrong.
   * @returns what `prove` does.
   * @throws AppError `rate_limit_exceeded` with the time to wait; what `prove` does.
   */
  async run<Proven>(attempt: SignInAttempt, prove: () => Promise<Proven>): Promise<Proven> {
    const names = await this.#begin(attempt);
    try {
      const proven = await prove();
      await this.#forgive(attempt);
      return proven;
    } catch (error) {
      if (error instanceof PasswordsBusyError) await this.#takeBack(attempt);
      throw error;
    } finally {
      await Promise.all(names.map((name) => this.#running.end(name)));
    }
  }

  /** @returns the names under which it runs. */
  async #begin({ emailNormalised, address, deviceId }: SignInAttempt): Promise<readonly string[]> {
    if (deviceId !== null) {
      refuseUnless(await this.#running.begin(`device ${deviceId}`, () => this.#byDevice.count(deviceId)));
      return [`device ${deviceId}`];
    }
    const network = networkOf(address);
    const names = [`network ${network}`, `account ${network} ${emailNormalised}`] as const;
    const { waitMs } = await this.#running.begin(names[0], () => this.#byNetwork.count(network));
    // Whoever waits for one window need not be told then of the other.
    if (waitMs > 0) refuseFor(Math.max(waitMs, await this.#findWaitOfAccountMs(network, emailNormalised)));
    try {
      refuseUnless(await this.#running.begin(names[1], () => this.#countForAccount(network, emailNormalised)));
    } catch (error) {
      // Nothing was tried.
      if (error instanceof AttemptsAtOnceError) await this.#byNetwork.forgive(network);
      await this.#running.end(names[0]);
      throw error;
    }
    return names;
  }

  async #countForAccount(network: string, emailNormalised: string): Promise<AttemptStanding> {
    // Counted before it is judged by that count, so that many at once do not all see the same.
    const failures = (await this.#byAccount.count(emailNormalised)).count - 1;
    const standing = await this.#byNetworkAndAccount.count(`${network} ${emailNormalised}`, grantsAfter(failures));
    if (standing.waitMs > 0) await this.#byAccount.forgive(emailNormalised);
    return standing;
  }

  async #findWaitOfAccountMs(network: string, emailNormalised: string): Promise<number> {
    // None is granted: it tells how many there are.
    const { count: failures } = await this.#byAccount.count(emailNormalised, 0);
    const name = `${network} ${emailNormalised}`;
    return findWaitMs({ counter: this.#byNetworkAndAccount, max: grantsAfter(failures), name });
  }

  async #takeBack({ emailNormalised, address, deviceId }: SignInAttempt): Promise<void> {
    if (deviceId !== null) {
      await this.#byDevice.forgive(deviceId);
      return;
    }
    const network = networkOf(address);
    await Promise.all([
      this.#byNetwork.forgive(network),
      this.#byNetworkAndAccount.forgive(`${network} ${emailNormalised}`),
      this.#byAccount.forgive(emailNormalised),
    ]);
  }

  async #forgive({ emailNormalised, address, deviceId }: SignInAttempt): Promise<void> {
    if (deviceId !== null) {
      await this.#byDevice.forget(deviceId);
      return;
    }
    const network = networkOf(address);
    await Promise.all([
      this.#byNetwork.forgive(network),
      this.#byNetworkAndAccount.forget(`${network} ${emailNormalised}`),
      this.#byAccount.forgive(emailNormalised),
    ]);
  }
}

/** How many attempts each network is granted for an account with so many failures. */
function grantsAfter(failures: number): number {
  return narrowed.find(({ from }) => failures >= from)?.perNetwork ?? failuresMax;
}

function refuseUnless({ waitMs }: AttemptStanding): void {
  if (waitMs > 0) refuseFor(waitMs);
}

function refuseFor(waitMs: number): never {
  const minutes = Math.ceil(waitMs / 60_000);
  throw new AppError('rate_limit_exceeded', `Too many failed sign-ins. Try again in ${minutes} minute(s).`, {
    retryAfterMs: waitMs,
  });
}
