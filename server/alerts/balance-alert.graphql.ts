import { IsBoolean, IsOptional, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { Access, payers } from '../schema/access.js';
import { type GraphqlContext, requireViewer } from '../schema/graphql-context.js';
import { CreditsScalar } from '../schema/scalars.js';
import type { BalanceAlert, BalanceAlerts } from './balance-alerts.js';

@ObjectType('BalanceAlert', { description: 'How the account is notified of a low balance.' })
class BalanceAlertType {
  @Field(() => CreditsScalar, {
    nullable: true,
    description: 'Below this balance, reserved credits included, it is notified, once; null: never.',
  })
  threshold!: number | null;

  @Field(() => Boolean, { description: 'Whether by e-mail, to the address of the account, once that is verified.' })
  email!: boolean;

  @Field(() => String, { nullable: true, description: 'Where a signed notice is posted to; null: nowhere.' })
  webhookUrl!: string | null;

  @Field(() => Boolean, {
    description: 'Whether budgets at 50, 80 and 100 %, and spikes, are notified by the same channels.',
  })
  use!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'What those notices are signed with: the header `tollgate-signature` is `t=<seconds>,v1=<HMAC-SHA256 of "t.body">`. null for an operator who looks as the customer.',
  })
  webhookSecret!: string | null;
}

@InputType('BalanceAlertInput', {
  description: 'How the account wants to be told. A field that is left out stays as it is.',
})
class BalanceAlertInput {
  @IsOptional()
  @Field(() => CreditsScalar, {
    nullable: true,
    description: 'Below this balance, reserved credits included; null: never.',
  })
  threshold?: number | null;

  @IsOptional()
  @IsBoolean()
  @Field(() => Boolean, { nullable: true, description: 'Whether by e-mail; null: as it is, at first yes.' })
  email?: boolean | null;

  @IsOptional()
  @MaxLength(2_000)
  @Field(() => String, { nullable: true, description: 'An https address on the public internet; null: no webhook.' })
  webhookUrl?: string | null;

  @IsOptional()
  @IsBoolean()
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether shares of the balance, budgets and spikes are notified too; null: unchanged, at first no.',
  })
  use?: boolean | null;
}

@Resolver()
export class BalanceAlertResolver {
  constructor(private readonly alerts: BalanceAlerts) {}

  // It shows the secret of the account's webhook, which a view is not told.
  @Access({ keys: ['billing:write'], members: payers, isViewable: true })
  @Query(() => BalanceAlertType, { description: 'The account’s low-balance alert.' })
  async balanceAlert(@Ctx() context: GraphqlContext): Promise<BalanceAlertType> {
    const { accountId, operatorId } = requireViewer(context);
    const alert = toBalanceAlertType(await this.alerts.find(accountId));
    return operatorId === undefined ? alert : { ...alert, webhookSecret: null };
  }

  @Access({ keys: ['billing:write'], members: payers })
  @Mutation(() => BalanceAlertType, {
    description:
      'Changes the low-balance alert; what is left out of the input stays. A notification is not repeated before the balance has risen to the threshold.',
  })
  async setBalanceAlert(
    @Arg('input', () => BalanceAlertInput, { description: 'How the account wants to be told.' })
    input: BalanceAlertInput,
    @Ctx() context: GraphqlContext,
  ): Promise<BalanceAlertType> {
    const { accountId } = requireViewer(context);
    const { threshold, email, webhookUrl, use } = input;
    const change = {
      ...(threshold === undefined ? {} : { thresholdMillicredits: threshold }),
      ...(typeof email === 'boolean' ? { isByEmail: email } : {}),
      ...(webhookUrl === undefined ? {} : { webhookUrl: webhookUrl || null }),
      ...(typeof use === 'boolean' ? { isUseTold: use } : {}),
    };
    return toBalanceAlertType(await this.alerts.set(accountId, change));
  }
}

function toBalanceAlertType(alert: BalanceAlert): BalanceAlertType {
  const { thresholdMillicredits: threshold, isByEmail: email, webhookUrl, webhookSecret, isUseTold } = alert;
  return { threshold, email, webhookUrl, webhookSecret, use: isUseTold === true };
}
