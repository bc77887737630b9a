import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../kernel/app-error.js';

/** What is in use when new passwords are hashed: argon2id, OWASP's least memory and passes; about 10 ms of one core. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const runningMax = 4;
/**
 * Behind how many somebody may wait, by what is known of them: where strangers come in thousands, those who make accounts are turned away
 * first, and whoever signs in on a device of theirs, or is signed in, last.
 */
const waitingMax = { newcomer: 16, stranger: 24, known: 32 } as const;

/** Whose password it is: somebody's who signs up, who signs in from wherever, or who is known by a device, a session or a link. */
export type PasswordOwner = keyof typeof waitingMax;

// Well formed, of the same cost, and of no known password: an unknown e-mail takes as long to refuse as a known one.
const { memoryCost, timeCost, parallelism } = cost;
const beginOfNothing = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${'A'.repeat(22)}$`;
const hashOfNothing = `${beginOfNothing}${'A'.repeat(43)}`;

/**
 * What stands in the place of a hash where an account has no password: another one each time, as long to compare as any, and of
 * no password that anybody knows or could find.
 */
export function createNoPassword(): string {
  return `${beginOfNothing}${randomBytes(32).toString('base64').replace(/=+$/, '')}`;
}

/** Whether somebody knows a password for this hash. Its salt tells: no password is hashed with one of zeros. */
export function isOfPassword(passwordHash: string): boolean {
  return !/^\$argon2id\$[^$]*\$[^$]*\$A{22}\$/.test(passwordHash);
}

/** Nothing was hashed and nothing compared. */
export class PasswordsBusyError extends AppError {
  constructor() {
    const words = 'Too many people are signing in right now. Try again in a few seconds.';
    super('rate_limit_exceeded', words, { retryAfterMs: 2_000 });
  }
}

/**
 * Hashes and checks passwords off the event loop, a few at a time, so that a flood of sign-ins can take neither all
 * memory nor all cores from the calls.
 */
export class Passwords {
  #running = 0;
  readonly #queue: (() => void)[] = [];

  /** @param noteTurnedAway Is told of each for whom there was no room; left out: nobody is. */
  constructor(private readonly noteTurnedAway: () => void = () => {}) {}

  /** The letters count, and not in which form of Unicode a keyboard composes them. @throws PasswordsBusyError when too many are waiting already. */
  hashPassword(password: string, owner: PasswordOwner = 'known'): Promise<string> {
    return this.#whenFree(owner, () => hash(password.normalize('NFC'), cost));
  }

  /**
   * Tells whether this is the password behind a hash. Without a hash it takes as long and answers no. Hashes of
   * earlier releases are of the password as it was typed then, in whichever form.
   * @throws PasswordsBusyError when too many are waiting already.
   */
  isPasswordOf(passwordHash: string | null, password: string, owner: PasswordOwner = 'known'): Promise<boolean> {
    return this.#whenFree(owner, async () => {
      for (const form of formsOf(password)) {
        if (await verify(passwordHash ?? hashOfNothing, form)) return passwordHash !== null;
      }
      return false;
    });
  }

  async #whenFree<Result>(owner: PasswordOwner, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= runningMax) await this.#waitInLine(owner);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      // The place is handed over, not given back: a newcomer cannot slip in between.
      if (next) next();
      else this.#running -= 1;
    }
  }

  #waitInLine(owner: PasswordOwner): Promise<void> {
    if (this.#queue.length >= waitingMax[owner]) {
      this.noteTurnedAway();
      throw new PasswordsBusyError();
    }
    return new Promise((resolve) => this.#queue.push(resolve));
  }
}

// At most three, and one for a password of ASCII alone.
function formsOf(password: string): Iterable<string> {
  return new Set([password.normalize('NFC'), password, password.normalize('NFD')]);
}
