import { networkOf } from '../../kernel/addresses/network-address.js';
import { AppError } from '../../kernel/app-error.js';
import type { AttemptCounter, OpenAttemptCounter } from '../../kernel/attempt-counter.js';
import { countInAll } from '../../kernel/jobs/count-in-all.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const perNetworkAndHourMax = 20;
const perNetworkAndAddressMax = 5;

/** After so many mails to an address in a day, the next one waits so long. Always less than a link lives. */
const pauses = [
  { from: 6, minutes: 25 },
  { from: 3, minutes: 10 },
  { from: 0, minutes: 1 },
] as const;

/**
 * Bounds how often a forgotten password may be asked for, counted by all instances together: each network, each network for
 * each address, and each address. What is counted of an address only spaces its mails: whatever strangers ask for, a link
 * that works lies in the owner's mailbox already, or the next request mails one.
 */
export class ResetThrottle {
  readonly #byNetwork: AttemptCounter;
  readonly #byNetworkAndAddress: AttemptCounter;
  readonly #byDay: AttemptCounter;
  readonly #byPause: readonly { readonly from: number; readonly counter: AttemptCounter }[];

  constructor(openCounter: OpenAttemptCounter) {
    const open = (kind: string, max: number, windowMs: number) =>
      openCounter({ kind: `reset ${kind}`, max, windowMs, isFinal: kind.startsWith('network') });
    this.#byNetwork = open('network', perNetworkAndHourMax, hourMs);
    this.#byNetworkAndAddress = open('network and address', perNetworkAndAddressMax, hourMs);
    this.#byDay = open('address in a day', Number.POSITIVE_INFINITY, dayMs);
    this.#byPause = pauses.map(({ from, minutes }) => ({
      from,
      counter: open(`address in ${minutes} min`, 1, minutes * minuteMs),
    }));
  }

  /**
   * Counts a request, whether or not there is such an account.
   * @returns false when a mail was sent to the address so lately that none is due.
   * @throws AppError `rate_limit_exceeded` with the time after which it is let in, when the network asks too often.
   */
  async countRequest({ emailNormalised, address }: { emailNormalised: string; address: string }): Promise<boolean> {
    const network = networkOf(address);
    // The narrow one first: what it refuses takes no room of the wide one, not even for a moment.
    const waitMs = await countInAll([
      { counter: this.#byNetworkAndAddress, max: perNetworkAndAddressMax, name: `${network} ${emailNormalised}` },
      { counter: this.#byNetwork, max: perNetworkAndHourMax, name: network },
    ]);
    if (waitMs > 0) {
      const words = `Too many requests for a new password. Look for the mail, or try again in ${Math.ceil(waitMs / minuteMs)} minute(s).`;
      throw new AppError('rate_limit_exceeded', words, { retryAfterMs: waitMs });
    }
    const sent = (await this.#byDay.count(emailNormalised)).count - 1;
    const pause = this.#byPause.find(({ from }) => sent >= from);
    if (pause === undefined || (await pause.counter.count(emailNormalised)).waitMs === 0) return true;
    await this.#byDay.forgive(emailNormalised);
    return false;
  }
}
