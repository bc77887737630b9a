import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Access, payers } from '../schema/access.js';
import { type GraphqlContext, requireViewer } from '../schema/graphql-context.js';
import { CreditsScalar } from '../schema/scalars.js';
import type { GiftCodes } from './gift-codes.js';

@ObjectType('GiftRedemption', { description: 'A gift that has arrived.' })
class GiftRedemptionType {
  @Field(() => CreditsScalar, { description: 'The credits that it brought.' })
  credits!: number;

  @Field(() => CreditsScalar, { description: 'What may be spent now.' })
  balance!: number;
}

/** Answers what an account has; the ledger does. */
export interface SpendableSource {
  findBalance(accountId: string): Promise<{ availableMillicredits: number }>;
}

@Resolver()
export class GiftCodesResolver {
  constructor(
    private readonly giftCodes: GiftCodes,
    private readonly balances: SpendableSource,
  ) {}

  @Access({ keys: ['billing:write'], members: payers })
  @Mutation(() => GiftRedemptionType, {
    description: 'Claims a gift code. Each brings its credits once. After 10 wrong ones in an hour one has to wait.',
  })
  async redeemGiftCode(
    @Arg('code', () => String, { description: 'The code; spaces, hyphens and case do not matter.' }) code: string,
    @Ctx() context: GraphqlContext,
  ): Promise<GiftRedemptionType> {
    const { accountId } = requireViewer(context);
    const address = context.addressOfCaller;
    const { creditsMillicredits } = await this.giftCodes.redeem({ accountId, address, code });
    const { availableMillicredits } = await this.balances.findBalance(accountId);
    return { credits: creditsMillicredits, balance: availableMillicredits };
  }
}
