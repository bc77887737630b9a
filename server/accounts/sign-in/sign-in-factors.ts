import { createHash } from 'node:crypto';
import { AppError } from '../../kernel/app-error.js';
import type { Secret } from '../../kernel/secret.js';

/** A sign-in whose password was right. */
export interface SecondStep {
  readonly accountId: string;
  /** Of the password, as `markPassword` makes it: after a change of the password the step is worth nothing. */
  readonly passwordMark: string;
}

/** Who enters a code, for the throttle. */
export interface CodeEntry {
  readonly accountId: string;
  readonly address: string;
  /** What the owner is known by, and counted by itself: a device; null: nothing. */
  readonly trustedAs: string | null;
}

/** What a sign-in asks about the factors of accounts. */
export interface SignInFactors {
  /** Whether the account asks for more than its password. */
  isAsked(accountId: string): Promise<boolean>;
  /** @returns the token by which the browser that began the sign-in finishes it, once and within ten minutes. */
  beginSecondStep(step: SecondStep): Promise<Secret>;
  findSecondStep(token: string): Promise<SecondStep | null>;
  /** Of several at once only one answers true. */
  endSecondStep(token: string): Promise<boolean>;
  /** @returns options for `navigator.credentials.get`, and the token of the browser that may answer, once and within ten minutes. */
  startPasskeySignIn(): Promise<{ readonly options: string; readonly token: Secret }>;
  /** @returns whose passkey has signed. @throws InvalidInputError for a `response` that is not of this browser's challenge. */
  finishPasskeySignIn(token: string, response: string): Promise<string>;
  /**
   * Takes a code of the account's app, or a recovery code; it is used from then on.
   * @throws InvalidInputError for a wrong `code`; AppError `rate_limit_exceeded` after too many.
   */
  takeCode(entry: CodeEntry, code: string): Promise<void>;
}

/** Where no account asks for more than its password. */
export const noSignInFactors: SignInFactors = {
  isAsked: async () => false,
  beginSecondStep: refuseFactor,
  findSecondStep: async () => null,
  endSecondStep: async () => false,
  startPasskeySignIn: refuseFactor,
  finishPasskeySignIn: refuseFactor,
  takeCode: refuseFactor,
};

/** All is right so far, and the account asks for a code. */
export class SecondStepError extends AppError {
  /** @param token For a cookie of the browser that signs in, and for nobody else. */
  constructor(readonly token: Secret) {
    const words =
      'Enter the code of your authenticator app, or a recovery code: send it with finishSignIn from this browser within 10 minutes, or as the field code of signIn.';
    super('second_factor_required', words);
  }
}

async function refuseFactor(): Promise<never> {
  throw new Error('There are no factors where no account asks for one.');
}

/** Tells one password hash from another without telling what it is. */
export function markPassword(passwordHash: string): string {
  return createHash('sha256').update(`password ${passwordHash}`).digest('hex');
}

/** For a sign-in of two steps whose second came too late, or from elsewhere. */
export function stepIsOver(): AppError {
  const words =
    'This sign-in took longer than 10 minutes, was finished already, or was started in another browser. Start again.';
  return new AppError('unauthenticated', words);
}
