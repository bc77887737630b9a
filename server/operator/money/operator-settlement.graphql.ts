import { Arg, Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import type { SettlementDesk } from './settlement-desk.js';

const ofMachine = 'Of the machine whose process answers: each has its own, on its disk.';
const callWords = 'The call’s id.';
const reasonWords = 'Why: 3 to 191 characters. It is written to the operators’ log and kept with the settlement.';

@ObjectType('OperatorQuarantinedSettlement', {
  description: 'The end of a call that the ledger has refused to book, and that somebody has to decide about.',
})
class OperatorQuarantinedSettlementType {
  @Field(() => ID, { description: 'The call’s id.' })
  callId!: string;

  @Field(() => ID, { description: 'Whose call it was.' })
  accountId!: string;

  @Field(() => Int, { description: 'Tokens in.' })
  promptTokens!: number;

  @Field(() => Int, { description: 'Tokens out.' })
  completionTokens!: number;

  @Field(() => String, { description: 'Why it was refused: `unknown_hold` or `constraint`.' })
  reason!: string;

  @Field(() => DateTimeScalar, { description: 'When.' })
  refusedAt!: number;
}

@Resolver(() => OperatorQueryType)
export class OperatorSettlementQueries {
  constructor(private readonly desk: SettlementDesk) {}

  @FieldResolver(() => [OperatorQuarantinedSettlementType], {
    description: `Settlements that the ledger has refused and nobody has decided about, the oldest first. ${ofMachine}`,
  })
  async quarantinedSettlements(): Promise<readonly OperatorQuarantinedSettlementType[]> {
    return (await this.desk.list()).map(({ input: { callId, accountId, ending }, reason, quarantinedAtMs }) => ({
      callId,
      accountId,
      reason,
      refusedAt: quarantinedAtMs,
      promptTokens: ending.promptTokens,
      completionTokens: ending.completionTokens,
    }));
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorSettlementMutations {
  constructor(private readonly desk: SettlementDesk) {}

  @FieldResolver(() => Boolean, {
    description: `Books a refused settlement, once what stood in its way is mended. ${ofMachine}`,
  })
  async bookSettlement(
    @Arg('callId', () => ID, { description: callWords }) callId: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).book(callId, reason);
    return true;
  }

  @FieldResolver(() => Boolean, {
    description: `Charges nothing for a refused settlement; it stays on record. ${ofMachine}`,
  })
  async dismissSettlement(
    @Arg('callId', () => ID, { description: callWords }) callId: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).dismiss(callId, reason);
    return true;
  }
}
