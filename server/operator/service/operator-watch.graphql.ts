import { Arg, Field, FieldResolver, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';
import { type NoticeFacts, toNotice } from '../accounts/operator-account.graphql.js';
import { OperatorNoticeType } from '../accounts/operator-account-type.graphql.js';
import { OperatorQueryType } from '../operator-root.graphql.js';

interface QuarantinedEvent {
  readonly id: string;
  readonly type: string;
  readonly reason: string | null;
  readonly purchaseId: string | null;
  readonly receivedAtMs: number;
}

/** What is looked at; each is asked of whoever keeps it. */
export interface WatchReads {
  listInstances(): Promise<readonly { readonly id: string; readonly seenAtMs: number }[]>;
  countNotices(): Promise<{ readonly waiting: number; readonly givenUp: number }>;
  listGivenUp(first: number): Promise<readonly NoticeFacts[]>;
  findSettlements(): Promise<{
    readonly keptCount: number;
    readonly oldestKeptAtMs: number | null;
    readonly quarantinedCount: number;
  }>;
  listQuarantined(first: number): Promise<readonly QuarantinedEvent[]>;
  /** The last look of this process at the ledger. */
  findAudit(): {
    readonly verifiedAtMs: number | null;
    readonly allVerifiedAtMs: number | null;
    readonly violations: number | null;
  };
}

@ObjectType('OperatorInstance', { description: 'A server process.' })
class OperatorInstanceType {
  @Field(() => ID, { description: 'Its id, `inst_…`.' })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'Its last sign of life, by the database’s clock.' })
  seenAt!: number;
}

@ObjectType('OperatorOutbox', { description: 'Mails and webhooks.' })
class OperatorOutboxType {
  @Field(() => Int, { description: 'How many wait.' })
  waiting!: number;

  @Field(() => Int, { description: 'How many were tried for a day and given up.' })
  givenUp!: number;
}

@ObjectType('OperatorSettlements', { description: 'Settlements of the process that answers, on its disk.' })
class OperatorSettlementsType {
  @Field(() => Int, { description: 'How many wait for the database.' })
  waiting!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Since when the oldest waits; null: none.' })
  oldestAt!: number | null;

  @Field(() => Int, {
    description: 'How many the ledger has refused; `settlements list` at the command line shows them.',
  })
  quarantined!: number;
}

@ObjectType('OperatorAudit', { description: 'The last look of the process that answers at the ledger.' })
class OperatorAuditType {
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it last looked; null: not yet.' })
  verifiedAt!: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it last audited everything; null: not yet.' })
  allVerifiedAt!: number | null;

  @Field(() => Int, { nullable: true, description: 'How many invariants are broken; null: not known yet.' })
  violations!: number | null;
}

@ObjectType('OperatorQuarantinedEvent', {
  description: 'A notice of the payment service that does not fit its purchase.',
})
class OperatorQuarantinedEventType {
  @Field(() => ID, { description: 'The payment service’s id; its own pages show it by that.' })
  id!: string;

  @Field(() => String, { description: 'What happened there.' })
  type!: string;

  @Field(() => String, { nullable: true, description: 'Why it does not fit.' })
  reason!: string | null;

  @Field(() => ID, { nullable: true, description: 'The purchase.' })
  purchaseId!: string | null;

  @Field(() => DateTimeScalar, { description: 'When it came.' })
  receivedAt!: number;
}

@ObjectType('OperatorWatch', { description: 'The state of the installation.' })
export class OperatorWatchType {}

@Resolver(() => OperatorQueryType)
export class OperatorWatchQueries {
  @FieldResolver(() => OperatorWatchType, { description: 'The state of the installation.' })
  watch(): OperatorWatchType {
    return {};
  }
}

@Resolver(() => OperatorWatchType)
export class OperatorWatchResolver {
  constructor(private readonly reads: WatchReads) {}

  @FieldResolver(() => [OperatorInstanceType], { description: 'The processes that share a MySQL; none on SQLite.' })
  async instances(@Root() _watch: OperatorWatchType): Promise<readonly OperatorInstanceType[]> {
    return (await this.reads.listInstances()).map(({ id, seenAtMs }) => ({ id, seenAt: seenAtMs }));
  }

  @FieldResolver(() => OperatorOutboxType, { description: 'Mails and webhooks, counted.' })
  outbox(): Promise<OperatorOutboxType> {
    return this.reads.countNotices();
  }

  @FieldResolver(() => [OperatorNoticeType], { description: 'Those that were given up, the newest first.' })
  async givenUpNotices(
    @Arg('first', () => Int, { defaultValue: 25, description: 'How many to answer at most: 1 to 100.' }) first: number,
  ): Promise<readonly OperatorNoticeType[]> {
    return (await this.reads.listGivenUp(Math.min(Math.max(first, 1), 100))).map(toNotice);
  }

  @FieldResolver(() => OperatorSettlementsType, { description: 'Settlements on the disk of the process that answers.' })
  async settlements(): Promise<OperatorSettlementsType> {
    const { keptCount, oldestKeptAtMs, quarantinedCount } = await this.reads.findSettlements();
    return { waiting: keptCount, oldestAt: oldestKeptAtMs, quarantined: quarantinedCount };
  }

  @FieldResolver(() => [OperatorQuarantinedEventType], { description: 'The newest 50 that need attention.' })
  async quarantinedEvents(): Promise<readonly OperatorQuarantinedEventType[]> {
    const events = await this.reads.listQuarantined(50);
    return events.map(({ receivedAtMs, ...event }) => ({ ...event, receivedAt: receivedAtMs }));
  }

  @FieldResolver(() => OperatorAuditType, { description: 'The last look at the ledger.' })
  audit(): OperatorAuditType {
    const { verifiedAtMs, allVerifiedAtMs, violations } = this.reads.findAudit();
    return { verifiedAt: verifiedAtMs, allVerifiedAt: allVerifiedAtMs, violations };
  }
}
