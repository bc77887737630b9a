import { Field, ID, ObjectType } from 'type-graphql';
import { CreditsScalar, DateTimeScalar } from '../schema/scalars.js';
import type { Account } from './account-service.js';

@ObjectType('Balance', { description: 'The credits of an account.' })
export class BalanceType {
  @Field(() => CreditsScalar, { description: 'What may still be spent; less than 0 only by what is owed.' })
  available!: number;

  @Field(() => CreditsScalar, {
    description: 'What of the balance running calls have reserved. Not part of `available`.',
  })
  held!: number;
}

@ObjectType('Account', { description: 'The paying party, who also signs in.' })
export class AccountType {
  @Field(() => ID, { description: 'The id, `acct_…`.' })
  id!: string;

  @Field(() => String, { description: 'The e-mail address, as it was typed at sign-up.' })
  email!: string;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When its owner verified it; null: not yet, and until then no mail is sent to it.',
  })
  emailVerifiedAt!: number | null;

  @Field(() => String, { description: 'What to call its owner.' })
  name!: string;

  @Field(() => DateTimeScalar, { description: 'When it signed up.' })
  createdAt!: number;

  @Field(() => String, {
    nullable: true,
    description: 'The provider that is asked first for its calls; null: no matter.',
  })
  preferredProvider!: string | null;
}

/** What the ledger knows of a wallet, in millicredits. */
export interface KnownBalance {
  readonly availableMillicredits: number;
  readonly heldMillicredits: number;
}

export function toBalanceType({ availableMillicredits, heldMillicredits }: KnownBalance): BalanceType {
  return { available: availableMillicredits, held: heldMillicredits };
}

/** What is public of an account. */
export function toAccountType(account: Account): AccountType {
  const { id, email, emailVerifiedAtMs: emailVerifiedAt, name, createdAtMs: createdAt, preferredProvider } = account;
  return { id, email, emailVerifiedAt, name, createdAt, preferredProvider };
}
