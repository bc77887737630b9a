import { IsNull } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Secret } from '../../kernel/secret.js';
import { AccountEntity } from '../account.entity.js';
import type { AccountService, RequestOrigin, SignedIn } from '../account-service.js';
import type { KnownDevices } from './known-devices.js';
import { markPassword, type SignInFactors, stepIsOver } from './sign-in-factors.js';

export interface FactorSignInParts {
  readonly unitOfWork: UnitOfWork;
  readonly devices: Pick<KnownDevices, 'find'>;
  readonly factors: SignInFactors;
  readonly accounts: Pick<AccountService, 'letIn'>;
}

/** The second step of a sign-in, and the sign-in that needs no first one. */
export class FactorSignIn {
  constructor(private readonly parts: FactorSignInParts) {}

  /**
   * Starts the session of a sign-in whose password was right.
   * @param input.token What the first step gave to the browser; null: it has none.
   * @throws AppError `unauthenticated` when there is no such step any more, or the password was changed meanwhile;
   *   InvalidInputError for a wrong `code`, which may be tried again; `rate_limit_exceeded` after too many.
   */
  async finish(input: { token: string | null; code: string; from: RequestOrigin }): Promise<SignedIn> {
    const { accounts, devices, factors } = this.parts;
    const { token, from } = input;
    const step = token === null ? null : await factors.findSecondStep(token);
    const account = step && (await this.#findOpen(step.accountId));
    if (token === null || !account || markPassword(account.passwordHash) !== step.passwordMark) throw stepIsOver();
    const trustedAs = await devices.find(account.id, from.deviceTokens);
    await factors.takeCode({ accountId: account.id, address: from.address, trustedAs }, input.code);
    if (!(await factors.endSecondStep(token))) throw stepIsOver();
    return accounts.letIn(account, from, 'factor');
  }

  /** @returns options for the browser, and the token by which it goes on. */
  startPasskey(): Promise<{ readonly options: string; readonly token: Secret }> {
    return this.parts.factors.startPasskeySignIn();
  }

  /**
   * Starts the session of whoever's passkey has signed. It has verified its user, so no second step is asked for.
   * @param input.token What `startPasskey` gave to the browser; null: it has none.
   * @throws AppError `unauthenticated` without such a token, and for a closed account; InvalidInputError for `response`.
   */
  async finishPasskey(input: { token: string | null; response: string; from: RequestOrigin }): Promise<SignedIn> {
    const { accounts, factors } = this.parts;
    if (input.token === null) throw stepIsOver();
    const account = await this.#findOpen(await factors.finishPasskeySignIn(input.token, input.response));
    if (account === null) throw stepIsOver();
    return accounts.letIn(account, input.from, 'factor');
  }

  #findOpen(id: string): Promise<AccountEntity | null> {
    return this.parts.unitOfWork.reader.findOneBy(AccountEntity, { id, closedAtMs: IsNull() });
  }
}
