import { Field, ID, Int, ObjectType } from 'type-graphql';
import { CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';

@ObjectType('OperatorAccount', { description: 'An account, as operators see it.' })
export class OperatorAccountType {
  @Field(() => ID, { description: 'The id, `acct_…`.' })
  id!: string;

  @Field(() => String, { description: 'The address that its owner signs in with.' })
  email!: string;

  @Field(() => String, { description: 'What its owner is called.' })
  name!: string;

  @Field(() => DateTimeScalar, { description: 'Since when.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the address was verified; null: not yet.' })
  emailVerifiedAt!: number | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it was deleted, by its owner or an operator; null: it goes on.',
  })
  closedAt!: number | null;
}

@ObjectType('OperatorFoundAccount', { description: 'An account that was searched for.' })
export class OperatorFoundAccountType {
  @Field(() => String, { description: 'What it was found by: account, email, name, key, call, purchase or payment.' })
  by!: string;

  @Field(() => OperatorAccountType, { description: 'The account.' })
  account!: OperatorAccountType;
}

@ObjectType('OperatorWallet', { description: 'What an account has.' })
export class OperatorWalletType {
  @Field(() => CreditsScalar, { description: 'What it may spend; less than 0 only by what is owed.' })
  available!: number;

  @Field(() => CreditsScalar, { description: 'What of its balance running calls have reserved.' })
  held!: number;

  @Field(() => CreditsScalar, { description: 'What it owes after refunds, disputes and corrections of spent credits.' })
  debt!: number;

  @Field(() => Boolean, { description: 'Whether no new call may begin.' })
  isFrozen!: boolean;

  @Field(() => [String], { description: 'Why: dispute, audit, operator. Empty unless it is frozen.' })
  frozenFor!: readonly string[];
}

@ObjectType('OperatorStatementLine', { description: 'A line of an account’s statement.' })
export class OperatorStatementLineType {
  @Field(() => ID, { description: 'The id of the line.' })
  id!: string;

  @Field(() => String, { description: 'Why credits came or went, such as purchase, grant, usage, refund, adjustment.' })
  type!: string;

  @Field(() => DateTimeScalar, { description: 'When it was booked.' })
  at!: number;

  @Field(() => CreditsScalar, { description: 'Above zero for credits in.' })
  amount!: number;

  @Field(() => CreditsScalar, { description: 'The balance of the line before plus this amount.' })
  balanceAfter!: number;
}

@ObjectType('OperatorKey', { description: 'A key of an account.' })
export class OperatorKeyType {
  @Field(() => ID, { description: 'The id, `key_…`.' })
  id!: string;

  @Field(() => String, { description: 'What its owner calls it.' })
  name!: string;

  @Field(() => String, { description: 'What is shown of its secret.' })
  maskedSecret!: string;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was last used; null: never.' })
  lastUsedAt!: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was revoked; null: it is in force.' })
  revokedAt!: number | null;
}

@ObjectType('OperatorCall', { description: 'A call of an account. What was asked and answered is kept nowhere.' })
export class OperatorCallType {
  @Field(() => ID, { description: 'The id, `call_…`.' })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'When it began.' })
  startedAt!: number;

  @Field(() => String, { description: 'The model.' })
  model!: string;

  @Field(() => String, { description: 'Who answered.' })
  provider!: string;

  @Field(() => String, { description: 'How it ended: completed, interrupted, abandoned, failed or expired.' })
  outcome!: string;

  @Field(() => CreditsScalar, { description: 'What it cost.' })
  charged!: number;
}

@ObjectType('OperatorPurchase', { description: 'A purchase of an account.' })
export class OperatorPurchaseType {
  @Field(() => ID, { description: 'The id, `pur_…`.' })
  id!: string;

  @Field(() => Int, { description: 'Its price in cents of a US dollar.' })
  cents!: number;

  @Field(() => CreditsScalar, { description: 'The credits that it brings once it is paid.' })
  credits!: number;

  @Field(() => String, { description: 'Its state: pending, paid or expired.' })
  status!: string;

  @Field(() => Int, { description: 'What of its price was given back, in cents.' })
  refundedCents!: number;

  @Field(() => DateTimeScalar, { description: 'When it was begun.' })
  createdAt!: number;

  @Field(() => String, { nullable: true, description: 'The payment service’s id of the payment or its page.' })
  paymentId!: string | null;
}

@ObjectType('OperatorSession', { description: 'A sign-in of an account’s owner that goes on.' })
export class OperatorSessionType {
  @Field(() => ID, { description: 'The id. Not secret.' })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'When it was last used, to the minute.' })
  lastUsedAt!: number;

  @Field(() => String, { nullable: true, description: 'What the program calls itself.' })
  userAgent!: string | null;
}

@ObjectType('OperatorNotice', { description: 'A mail or webhook, without its words.' })
export class OperatorNoticeType {
  @Field(() => ID, { description: 'The id, `note_…`.' })
  id!: string;

  @Field(() => ID, { nullable: true, description: 'The account; null: it is for the operator of the server.' })
  accountId!: string | null;

  @Field(() => String, { description: 'email or webhook.' })
  channel!: string;

  @Field(() => String, { description: 'What it is about.' })
  title!: string;

  @Field(() => String, { description: 'Its state: waiting, sent, logged, dropped or given_up.' })
  state!: string;

  @Field(() => Int, { description: 'How often it was tried.' })
  attempts!: number;

  @Field(() => DateTimeScalar, { description: 'When it was written.' })
  createdAt!: number;
}

@ObjectType('OperatorChange', { description: 'What an operator has done.' })
export class OperatorChangeType {
  @Field(() => ID, { description: 'The id, `oper_…`.' })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'When.' })
  at!: number;

  @Field(() => String, { description: 'Who.' })
  actor!: string;

  @Field(() => String, { description: 'What, such as grant, freeze, revoke_key.' })
  action!: string;

  @Field(() => ID, { nullable: true, description: 'The account that it was about; null: none.' })
  accountId!: string | null;

  @Field(() => String, { nullable: true, description: 'The key, notice, request or operator that it was about.' })
  subject!: string | null;

  @Field(() => CreditsScalar, { nullable: true, description: 'The credits that it was about.' })
  amount!: number | null;

  @Field(() => String, { description: 'Why.' })
  reason!: string;
}
