import { MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { CountScalar, CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField } from '../operator-fields.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import type { AbuseDesk } from './abuse-desk.js';
import { OperatorRiskMarkKind, type RiskMarkWord } from './operator-risk-mark-type.graphql.js';

const hourMs = 3_600_000;
const marksWords = 'What operators have marked its account as.';
const valueWords =
  'A mail domain such as example.com, with all below it; an address; or a network with /8, /16, /24 or /32 (IPv6: /32, /48, /56 or /64); `everybody` closes sign-up, `uninvited` leaves it to invited people.';

@ObjectType('OperatorNetworkCount', { description: 'How often something happened from one network.' })
class OperatorNetworkCountType {
  @Field(() => String, {
    description: 'A /24 of IPv4, a /56 of IPv6; empty: from none, or from before it was written down.',
  })
  network!: string;

  @Field(() => CountScalar, { description: 'How often.' })
  events!: number;

  @Field(() => CountScalar, { description: 'To how many accounts.' })
  accounts!: number;

  @Field(() => [ID], { description: 'The newest of those accounts; at most 5.' })
  accountIds!: readonly string[];

  @Field(() => [ID], { description: 'Those of these five that an operator has marked.' })
  markedIds!: readonly string[];
}

@ObjectType('OperatorNetworkCounts', { description: 'How often something happened, by network.' })
class OperatorNetworkCountsType {
  @Field(() => [OperatorNetworkCountType], { description: 'The most first; at most 50.' })
  networks!: readonly OperatorNetworkCountType[];

  @Field(() => Boolean, { description: 'Whether there were more than the newest 10,000, which alone are counted.' })
  isSample!: boolean;
}

@ObjectType('OperatorDeclinedCards', { description: 'An account whose saved card was declined.' })
class OperatorDeclinedCardsType {
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Field(() => [OperatorRiskMarkKind], { description: marksWords })
  marks!: readonly RiskMarkWord[];

  @Field(() => CountScalar, { description: 'How many automatic top-ups failed.' })
  declined!: number;

  @Field(() => CountScalar, { description: 'How many cards it were.' })
  cards!: number;

  @Field(() => DateTimeScalar, { description: 'When the last of them began.' })
  lastAt!: number;
}

@ObjectType('OperatorSpendingSpike', {
  description: 'An account that used five times a usual day or more, and a dollar at least, in the last 24 hours.',
})
class OperatorSpendingSpikeType {
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Field(() => [OperatorRiskMarkKind], { description: marksWords })
  marks!: readonly RiskMarkWord[];

  @Field(() => CreditsScalar, { description: 'Charged in the last 24 hours.' })
  spent!: number;

  @Field(() => CreditsScalar, { description: 'The mean day of the seven before; 0: nothing was used then.' })
  usualDay!: number;
}

@ObjectType('OperatorWidelyUsedKey', {
  description:
    'A key that was used from five networks or more in a day. One that a server has seen in one network only is not counted there.',
})
class OperatorWidelyUsedKeyType {
  @Field(() => ID, { description: 'The key.' })
  keyId!: string;

  @Field(() => ID, { description: 'Its account.' })
  accountId!: string;

  @Field(() => [OperatorRiskMarkKind], { description: marksWords })
  marks!: readonly RiskMarkWord[];

  @Field(() => String, { description: 'The day in UTC, as `2026-01-31`.' })
  day!: string;

  @Field(() => CountScalar, { description: 'How many networks, each a /24 of IPv4 or a /56 of IPv6; 50: or more.' })
  networks!: number;
}

@ObjectType('OperatorSignUpBlock', { description: 'A network or mail domain that nobody signs up from.' })
class OperatorSignUpBlockType {
  @Field(() => String, { description: 'The network, the domain, `everybody`, or `uninvited`.' })
  value!: string;

  @Field(() => String, { description: 'Why.' })
  reason!: string;

  @Field(() => String, { description: 'Who set it.' })
  createdBy!: string;

  @Field(() => DateTimeScalar, { description: 'Since when.' })
  createdAt!: number;
}

@InputType('OperatorSignUpBlockInput', { description: 'A network or mail domain, and why.' })
class OperatorSignUpBlockInput {
  @MaxLength(191)
  @Field(() => String, { description: valueWords })
  value!: string;

  @ReasonField()
  reason!: string;
}

@ObjectType('OperatorAbuse', { description: 'What may be abuse. Each figure is a hint, and none a proof.' })
class OperatorAbuseType {
  sinceMs!: number;
}

type Counts = OperatorNetworkCountsType;

/** What is looked at; each is asked of whoever keeps it. */
export interface AbuseReads {
  readonly nowMs: () => number;
  countByNetwork(kind: 'signed_up' | 'gift_claimed', sinceMs: number): Promise<Counts>;
  listDeclinedCards(
    sinceMs: number,
  ): Promise<readonly (Omit<OperatorDeclinedCardsType, 'lastAt'> & { readonly lastAtMs: number })[]>;
  findSpikes(): Promise<readonly OperatorSpendingSpikeType[]>;
  findWidelyUsedKeys(sinceMs: number): Promise<readonly OperatorWidelyUsedKeyType[]>;
  countTrusted(): Promise<number>;
}

type Block = Awaited<ReturnType<AbuseDesk['block']>>;

@Resolver(() => OperatorQueryType)
export class OperatorAbuseQueries {
  constructor(
    private readonly reads: AbuseReads,
    private readonly desk: AbuseDesk,
  ) {}

  @FieldResolver(() => OperatorAbuseType, { description: 'What may be abuse, of the last hours.' })
  abuse(
    @Arg('hours', () => Int, { defaultValue: 24, description: 'How far back is looked: 1 to 168.' }) hours: number,
  ): OperatorAbuseType {
    return { sinceMs: this.reads.nowMs() - Math.min(Math.max(hours, 1), 168) * hourMs };
  }

  @FieldResolver(() => [OperatorSignUpBlockType], {
    description: 'Networks and mail domains that nobody signs up from, the newest first.',
  })
  async signUpBlocks(): Promise<readonly OperatorSignUpBlockType[]> {
    return (await this.desk.listBlocks()).map(toBlock);
  }
}

@Resolver(() => OperatorAbuseType)
export class OperatorAbuseResolver {
  constructor(private readonly reads: AbuseReads) {}

  @FieldResolver(() => CountScalar, {
    description:
      'How many accounts are marked as trusted now, at most 10,000; what these lists had of them is left out.',
  })
  trustedAccounts(@Root() _abuse: OperatorAbuseType): Promise<number> {
    return this.reads.countTrusted();
  }

  @FieldResolver(() => OperatorNetworkCountsType, { description: 'Sign-ups by network.' })
  signUps(@Root() { sinceMs }: OperatorAbuseType): Promise<Counts> {
    return this.reads.countByNetwork('signed_up', sinceMs);
  }

  @FieldResolver(() => OperatorNetworkCountsType, { description: 'Gift codes that were claimed, by network.' })
  giftsClaimed(@Root() { sinceMs }: OperatorAbuseType): Promise<Counts> {
    return this.reads.countByNetwork('gift_claimed', sinceMs);
  }

  @FieldResolver(() => [OperatorDeclinedCardsType], {
    description:
      'Accounts whose automatic top-ups failed, the most often first. A card that is declined on the payment service’s own page is not known here.',
  })
  async declinedCards(@Root() { sinceMs }: OperatorAbuseType): Promise<readonly OperatorDeclinedCardsType[]> {
    const accounts = await this.reads.listDeclinedCards(sinceMs);
    return accounts.map(({ lastAtMs, ...account }) => ({ ...account, lastAt: lastAtMs }));
  }

  @FieldResolver(() => [OperatorSpendingSpikeType], {
    description: 'Among the 200 accounts that used the most in the last 24 hours, whatever the hours asked for.',
  })
  spendingSpikes(@Root() _abuse: OperatorAbuseType): Promise<readonly OperatorSpendingSpikeType[]> {
    return this.reads.findSpikes();
  }

  @FieldResolver(() => [OperatorWidelyUsedKeyType], {
    description: 'Keys that were used from many networks in a day of these hours, the most first; at most 50.',
  })
  widelyUsedKeys(@Root() { sinceMs }: OperatorAbuseType): Promise<readonly OperatorWidelyUsedKeyType[]> {
    return this.reads.findWidelyUsedKeys(sinceMs);
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorAbuseMutations {
  constructor(private readonly desk: AbuseDesk) {}

  @FieldResolver(() => OperatorSignUpBlockType, {
    description:
      'Blocks sign-ups from a network, with a mail domain or altogether, on every server at once. Existing accounts stay.',
  })
  async blockSignUps(
    @Arg('input', () => OperatorSignUpBlockInput, { description: 'What, and why.' })
    { value, reason }: OperatorSignUpBlockInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorSignUpBlockType> {
    return toBlock(await this.desk.by(actorOf(await requireOperator(context))).block(value, reason));
  }

  @FieldResolver(() => Boolean, { description: 'Takes that back.' })
  async unblockSignUps(
    @Arg('input', () => OperatorSignUpBlockInput, { description: 'What, and why.' })
    { value, reason }: OperatorSignUpBlockInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).unblock(value, reason);
    return true;
  }
}

function toBlock({ value, reason, createdBy, createdAtMs }: Block): OperatorSignUpBlockType {
  return { value, reason, createdBy, createdAt: createdAtMs };
}
