import { IsIn, IsInt, IsOptional, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, Int, Resolver, Root } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';
import { OperatorAccountType } from '../accounts/operator-account-type.graphql.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import {
  OperatorAccountHintType,
  OperatorRiskMarkKind,
  OperatorRiskMarkType,
  type RiskMarkWord,
} from './operator-risk-mark-type.graphql.js';
import type { RiskMarkDesk } from './risk-mark-desk.js';
import type { StandingRiskMark } from './risk-marks.js';

@InputType('OperatorRiskMarkInput', { description: 'A mark for an account.' })
class OperatorRiskMarkInput {
  @MaxLength(40)
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @IsIn(Object.values(OperatorRiskMarkKind))
  @Field(() => OperatorRiskMarkKind, { description: 'What it is marked as; one of a kind can hold at a time.' })
  kind!: RiskMarkWord;

  @MaxLength(1_000)
  @Field(() => String, {
    description: 'Why: 3 to 500 characters, one line. Its beginning is written to the operators’ log.',
  })
  note!: string;

  @IsOptional()
  @IsInt()
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it ends by itself, within ten years; left out, or null: when somebody clears it.',
  })
  until?: number | null;
}

@Resolver(() => OperatorQueryType)
export class OperatorRiskMarkQueries {
  constructor(private readonly desk: RiskMarkDesk) {}

  @FieldResolver(() => [OperatorRiskMarkType], { description: 'Marks of accounts that hold, the newest first.' })
  async riskMarks(
    @Arg('kind', () => OperatorRiskMarkKind, { nullable: true, description: 'Of one kind; left out: of each.' })
    kind: RiskMarkWord | null | undefined,
    @Arg('first', () => Int, { defaultValue: 50, description: 'How many to answer at most: 1 to 100.' }) first: number,
    @Arg('after', () => ID, { nullable: true, description: 'The last id of the page before; left out: the newest.' })
    after?: string | null,
  ): Promise<readonly OperatorRiskMarkType[]> {
    return (await this.desk.list({ kind: kind ?? null, first, afterId: after ?? null })).map(toMark);
  }
}

/** What is known against an account, and for it. */
@Resolver(() => OperatorAccountType)
export class OperatorRiskOfAccount {
  constructor(
    private readonly desk: RiskMarkDesk,
    private readonly hintReads: { find(accountId: string): Promise<readonly OperatorAccountHintType[]> },
  ) {}

  @FieldResolver(() => [OperatorRiskMarkKind], { description: 'What operators have marked it as, where that holds.' })
  async markedAs(@Root() { id }: OperatorAccountType): Promise<readonly RiskMarkWord[]> {
    return (await this.desk.listOf(id)).flatMap(({ isHeld, kind }) => (isHeld ? [kind] : []));
  }

  @FieldResolver(() => [OperatorRiskMarkType], {
    description: 'Its marks, cleared and ended ones too, the newest first; at most 50.',
  })
  async riskMarks(@Root() { id }: OperatorAccountType): Promise<readonly OperatorRiskMarkType[]> {
    return (await this.desk.listOf(id)).map(toMark);
  }

  @FieldResolver(() => [OperatorAccountHintType], {
    description:
      'What may be abuse and holds for it now, of the last seven days: three accounts or more that signed up, or claimed gifts, from one network; declined cards; a spending spike; a widely used key.',
  })
  hints(@Root() { id }: OperatorAccountType): Promise<readonly OperatorAccountHintType[]> {
    return this.hintReads.find(id);
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorRiskMarkMutations {
  constructor(private readonly desk: RiskMarkDesk) {}

  @FieldResolver(() => OperatorRiskMarkType, {
    description: 'Marks an account for operators. Its calls go on as before, and its owner is not told.',
  })
  async setRiskMark(
    @Arg('input', () => OperatorRiskMarkInput, { description: 'Which account, as what, and why.' })
    { until, ...wanted }: OperatorRiskMarkInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorRiskMarkType> {
    const desk = this.desk.by(actorOf(await requireOperator(context)));
    return toMark(await desk.set({ ...wanted, endsAtMs: until ?? null }));
  }

  @FieldResolver(() => Boolean, {
    description: 'Clears a mark that holds. The account’s page goes on showing it as cleared.',
  })
  async clearRiskMark(
    @Arg('id', () => ID, { description: 'The mark’s id.' }) id: string,
    @Arg('reason', () => String, { description: 'Why: 3 to 191 characters. It is written to the operators’ log.' })
    reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).clear(id, reason);
    return true;
  }
}

function toMark({ endsAtMs, setAtMs, clearedAtMs, ...mark }: StandingRiskMark): OperatorRiskMarkType {
  return { ...mark, endsAt: endsAtMs, setAt: setAtMs, clearedAt: clearedAtMs };
}
