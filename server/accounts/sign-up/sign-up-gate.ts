import type { EntityManager } from 'typeorm';
import { AppError } from '../../kernel/app-error.js';
import { normaliseEmail } from '../mailbox.js';
import type { SignUpBlocks } from './sign-up-blocks.js';
import type { SignUpInvitations } from './sign-up-invitations.js';

/** Uses up in the transaction that makes the account what it is made by. @returns the id of the invitation; null: it needed none. */
export type Admission = (transaction: EntityManager) => Promise<string | null>;

export interface SignUpAttempt {
  readonly email: string;
  /** The network address that it comes from. */
  readonly address: string;
  /** The token of an invitation; null: there is none. */
  readonly invitation: string | null;
}

/** Who may make an account here. */
export interface SignUpGate {
  /** @throws AppError in words for whoever signs up. */
  admit(attempt: SignUpAttempt): Promise<Admission>;
}

/** For whoever makes accounts without asking anybody. */
export const openSignUpGate: SignUpGate = { admit: async () => async () => null };

/**
 * Asked of each sign-up, by password or by another provider: what is blocked first, then the invitation where one is needed. An
 * invitation opens nothing that is blocked or closed. Where sign-up is open, one that fits is used up, and any other is not looked at.
 */
export class GuardedSignUp implements SignUpGate {
  constructor(
    private readonly blocks: Pick<SignUpBlocks, 'assertOpen'>,
    private readonly invitations: Pick<SignUpInvitations, 'find' | 'take'>,
  ) {}

  /**
   * @throws as `SignUpBlocks.assertOpen`; where one is needed, AppError `forbidden` without an invitation and with one for another
   *   address, `not_found` in the same words for a wrong, a used, a withdrawn and an old one. The admission throws `not_found`, too.
   */
  async admit({ email, address, invitation }: SignUpAttempt): Promise<Admission> {
    const { isByInvitation } = await this.blocks.assertOpen(email, address);
    const found = invitation === null ? null : await this.invitations.find(invitation);
    const fits = found?.emailNormalised === normaliseEmail(email);
    if (isByInvitation) assertInvited(invitation, found !== null, fits);
    if (invitation === null || !fits) return async () => null;
    return async (transaction) => {
      const id = await this.invitations.take(transaction, invitation);
      if (id === null && isByInvitation) throw linkRefused();
      return id;
    };
  }
}

function assertInvited(token: string | null, isFound: boolean, fits: boolean): void {
  if (token === null) {
    const words =
      'You need an invitation to create an account here. Open the link in your invitation, or ask the operator of this server for one.';
    throw new AppError('forbidden', words);
  }
  if (!isFound) throw linkRefused();
  if (fits) return;
  const words =
    'Your invitation is for another e-mail address. Sign up with that one, or ask the operator of this server for another invitation.';
  throw new AppError('forbidden', words);
}

function linkRefused(): AppError {
  const words =
    'This invitation is wrong, already used, withdrawn, or older than seven days. Ask the operator of this server for another one.';
  return new AppError('not_found', words, { param: 'invitation' });
}
