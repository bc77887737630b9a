import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, ValidateNested } from 'class-validator';
import {
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import { Access, everybody } from '../schema/access.js';
import { createConnectionType, PageArgs, readPage, toConnection } from '../schema/connection.js';
import { type GraphqlContext, requireViewer } from '../schema/graphql-context.js';
import { CreditsScalar, DateTimeScalar } from '../schema/scalars.js';
import type { StatementEntryType } from './journal/statement-filter.js';
import type { LedgerReader, StatementCalls, StatementEntry } from './ledger-reader.js';

// The names on the wire stand on the left.
const entryTypes = {
  PURCHASE: 'purchase',
  GRANT: 'grant',
  USAGE: 'usage',
  REFUND: 'refund',
  REFUND_RETURNED: 'refund_returned',
  DISPUTE: 'dispute',
  DISPUTE_RETURNED: 'dispute_returned',
  ADJUSTMENT: 'adjustment',
} as const satisfies Record<Uppercase<StatementEntryType>, StatementEntryType>;
registerEnumType(entryTypes, {
  name: 'LedgerEntryType',
  description: 'Why credits came or went.',
  valuesConfig: {
    PURCHASE: { description: 'Credits bought.' },
    GRANT: { description: 'Credits given.' },
    USAGE: { description: 'Credits used by a call, or by several calls that followed each other.' },
    REFUND: { description: 'Credits taken back because their purchase was refunded.' },
    REFUND_RETURNED: { description: 'Credits given back because a refund failed.' },
    DISPUTE: { description: 'Credits taken back because the buyer’s bank withdrew the money in a dispute.' },
    DISPUTE_RETURNED: { description: 'Credits given back because the bank returned the money.' },
    ADJUSTMENT: { description: 'A correction by the operator.' },
  },
});

@ObjectType('LedgerEntry', { description: 'One line of the account’s statement.' })
class LedgerEntryType {
  @Field(() => ID, { description: 'The id of this line.' })
  id!: string;

  @Field(() => entryTypes, { description: 'Why credits came or went.' })
  type!: StatementEntryType;

  @Field(() => DateTimeScalar, { description: 'When it was booked.' })
  at!: number;

  @Field(() => CreditsScalar, { description: 'Above zero for credits in, below for credits used.' })
  amount!: number;

  @Field(() => CreditsScalar, {
    description: 'The balance of the line before plus this amount. What running calls have reserved is not taken off.',
  })
  balanceAfter!: number;

  @Field(() => ID, {
    nullable: true,
    description: 'The call that used the credits; null for credits in, and where it was several calls.',
  })
  callId!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How many calls the line is about, those that cost nothing included; null for credits in.',
  })
  callCount!: number | null;

  /** Not public itself: `model` and `callsFrom` are. */
  leaseId!: string | null;

  /** What is known of the calls of the whole page; read when the first line of it is asked. */
  findCalls!: () => Promise<StatementCalls>;
}

const LedgerEntryConnectionType = createConnectionType(LedgerEntryType, 'LedgerEntry');

@InputType('StatementFilter', {
  description: 'Which lines of the statement are wanted: those that fit all that is given.',
})
class StatementFilterInput {
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1, { message: 'Name at least one type, or leave the list out.' })
  @ArrayMaxSize(8, { message: 'Name each type once.' })
  @Field(() => [entryTypes], { nullable: true, description: 'Those of one of these types.' })
  types?: StatementEntryType[] | null;

  @IsOptional()
  @Field(() => DateTimeScalar, { nullable: true, description: 'Those that were booked then or later.' })
  from?: number | null;

  @IsOptional()
  @Field(() => DateTimeScalar, { nullable: true, description: 'Those that were booked before then.' })
  to?: number | null;
}

@ArgsType()
class StatementArgs extends PageArgs {
  @IsOptional()
  @ValidateNested()
  @Field(() => StatementFilterInput, { nullable: true, description: 'Which lines are wanted; left out: all.' })
  filter?: StatementFilterInput | null;
}

@Resolver(() => LedgerEntryType)
export class LedgerResolver {
  constructor(private readonly reader: Pick<LedgerReader, 'listStatement' | 'findCalls'>) {}

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => LedgerEntryConnectionType, { description: 'The account’s statement, newest line first.' })
  async statement(@Args(() => StatementArgs) page: StatementArgs, @Ctx() context: GraphqlContext) {
    const { accountId } = requireViewer(context);
    const asked = readPage(page, (text) => /^[1-9]\d{0,14}$/.test(text));
    const beforeSeq = asked.afterKey === null ? null : Number(asked.afterKey);
    const { types = null, from: fromMs = null, to: toMs = null } = page.filter ?? {};
    const filter = { types, fromMs, toMs };
    const found = await this.reader.listStatement(accountId, { first: asked.first, beforeSeq, filter });
    let calls: Promise<StatementCalls> | null = null;
    const findCalls = () => {
      calls ??= this.reader.findCalls(found.items);
      return calls;
    };
    const toNode = (entry: StatementEntry) => toLedgerEntryType(entry, findCalls);
    return toConnection(found, asked, { toNode, keyOf: ({ walletSeq }) => walletSeq });
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'The model of the call; null where `callId` is, and where the receipt was removed because of its age.',
  })
  async model(@Root() { callId, findCalls }: LedgerEntryType): Promise<string | null> {
    return callId === null ? null : ((await findCalls()).models.get(callId) ?? null);
  }

  @FieldResolver(() => DateTimeScalar, {
    nullable: true,
    description:
      'From when on the calls of a line of several were let in; all were booked by `at`. null for other lines.',
  })
  async callsFrom(@Root() { leaseId, findCalls }: LedgerEntryType): Promise<number | null> {
    return leaseId === null ? null : ((await findCalls()).leaseStartsMs.get(leaseId) ?? null);
  }
}

function toLedgerEntryType(entry: StatementEntry, findCalls: LedgerEntryType['findCalls']): LedgerEntryType {
  return {
    id: entry.id,
    type: entry.type,
    at: entry.atMs,
    amount: entry.amountMillicredits,
    balanceAfter: entry.balanceAfterMillicredits,
    callId: entry.callId,
    callCount: entry.callCount,
    leaseId: entry.leaseId,
    findCalls,
  };
}
