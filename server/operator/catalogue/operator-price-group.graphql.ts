import { IsInt, IsOptional, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { InvalidInputError } from '../../kernel/app-error.js';
import { DateTimeScalar } from '../../schema/scalars.js';
import { OperatorAccountType } from '../accounts/operator-account-type.graphql.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField } from '../operator-fields.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import type { PriceGroupDesk } from './price-group-desk.js';

const multiplierWords =
  'What its accounts pay, in per mille of the list price: 800 is 20 % off. 1 to 100000; each call is rounded up once, to a whole millicredit.';
const reasonWords = 'Why: 3 to 191 characters, for the operators’ log.';

@ObjectType('OperatorPriceGroup', { description: 'Accounts that pay a part, or a multiple, of the list price.' })
class OperatorPriceGroupType {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => Int, { description: multiplierWords })
  multiplier!: number;

  @Field(() => DateTimeScalar, { description: 'When it was made.' })
  createdAt!: number;
}

@ObjectType('OperatorCountedPriceGroup', { description: 'A price group, and how many accounts are in it.' })
class OperatorCountedPriceGroupType extends OperatorPriceGroupType {
  @Field(() => Int, { description: 'How many accounts are in it.' })
  accountCount!: number;
}

@InputType('OperatorPriceGroupInput', { description: 'A price group, and what its accounts are to pay.' })
class OperatorPriceGroupInput {
  @MaxLength(191)
  @Field(() => String, { description: 'Its name: 1 to 40 letters, digits, spaces, dots, hyphens or underscores.' })
  name!: string;

  @IsInt()
  @Field(() => Int, { description: multiplierWords })
  multiplier!: number;

  @ReasonField(reasonWords)
  reason!: string;
}

@InputType('OperatorPricedAccountInput', { description: 'Which price group an account is to be in.' })
class OperatorPricedAccountInput {
  @MaxLength(191)
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @IsOptional()
  @MaxLength(191)
  @Field(() => String, {
    nullable: true,
    description: 'The name of the group; null: none, it pays the list price. It may not be left out.',
  })
  group?: string | null;

  @ReasonField(reasonWords)
  reason!: string;
}

@Resolver(() => OperatorQueryType)
export class OperatorPriceGroupQueries {
  constructor(private readonly desk: PriceGroupDesk) {}

  @FieldResolver(() => [OperatorCountedPriceGroupType], {
    description: 'All price groups, by their names; at most 100.',
  })
  async priceGroups(): Promise<OperatorCountedPriceGroupType[]> {
    return (await this.desk.list()).map(({ accountCount, ...group }) => ({ ...toGroup(group), accountCount }));
  }
}

@Resolver(() => OperatorAccountType)
export class OperatorPriceGroupOfAccount {
  constructor(private readonly desk: PriceGroupDesk) {}

  @FieldResolver(() => OperatorPriceGroupType, {
    nullable: true,
    description: 'The price group that it is in; null: none, it pays the list price.',
  })
  async priceGroup(@Root() { id }: OperatorAccountType): Promise<OperatorPriceGroupType | null> {
    const group = await this.desk.findOf(id);
    return group && toGroup(group);
  }
}

/** What operators set of price groups. Running calls keep the price that they were admitted with. */
@Resolver(() => OperatorMutationType)
export class OperatorPriceGroupMutations {
  constructor(private readonly desk: PriceGroupDesk) {}

  @FieldResolver(() => Boolean, { description: 'Makes a price group without accounts.' })
  async createPriceGroup(
    @Arg('input', () => OperatorPriceGroupInput, { description: 'Its name, what it pays, and why.' })
    { name, multiplier, reason }: OperatorPriceGroupInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).create(name, multiplier, reason);
    return true;
  }

  @FieldResolver(() => Boolean, {
    description: 'Has all accounts of a price group pay another part of the list price. Running calls keep theirs.',
  })
  async setPriceGroup(
    @Arg('input', () => OperatorPriceGroupInput, { description: 'Which one, what it pays, and why.' })
    { name, multiplier, reason }: OperatorPriceGroupInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).set(name, multiplier, reason);
    return true;
  }

  @FieldResolver(() => Boolean, {
    description: 'Puts an account into a price group and out of the one before. Running calls keep their price.',
  })
  async assignPriceGroup(
    @Arg('input', () => OperatorPricedAccountInput, { description: 'Which account, which group, and why.' })
    { accountId, group, reason }: OperatorPricedAccountInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    // A script that has lost the name on its way sends nothing, and is not to change what somebody pays.
    if (group === undefined) throw new InvalidInputError('group', 'Send the name of a group, or null for none.');
    await this.desk.by(actorOf(await requireOperator(context))).assign(accountId, group, reason);
    return true;
  }
}

function toGroup({ name, multiplier, createdAtMs }: { name: string; multiplier: number; createdAtMs: number }) {
  return { name, multiplier, createdAt: createdAtMs };
}
