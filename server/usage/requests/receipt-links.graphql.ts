import { Max, MaxLength, Min } from 'class-validator';
import { Arg, Args, ArgsType, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { InvalidInputError } from '../../kernel/app-error.js';
import { listPriceMultiplier } from '../../kernel/token-price.js';
import { Access, builders } from '../../schema/access.js';
import { type GraphqlContext, requireSession } from '../../schema/graphql-context.js';
import { CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import type { CallRecord } from './call-reader.js';
import { ReceiptFields, toReceiptFields } from './call-type.graphql.js';
import type { ReceiptLinks } from './receipt-links.js';

// Longer than any token; keeps nonsense from being hashed.
const tokenLengthMax = 200;

@ArgsType()
class ShareReceiptArgs {
  @MaxLength(191)
  @Field(() => ID, { description: 'The call’s id.' })
  callId!: string;

  @Min(1, { message: 'Share it for at least 1 day.' })
  @Max(90, { message: 'Share it for at most 90 days.' })
  @Field(() => Int, { defaultValue: 7, description: 'How many days the link holds, 1 to 90.' })
  days!: number;
}

@ObjectType('ReceiptLink', { description: 'A link that shows one receipt to anyone who has it.' })
class ReceiptLinkType {
  @Field(() => String, { description: 'The part after the # of `/receipt`. It is shown this once.' })
  token!: string;

  @Field(() => DateTimeScalar, { description: 'When the link ends by itself.' })
  expiresAt!: number;
}

@ObjectType('SharedReceipt', {
  description: 'The receipt of a call as it is shown to others: without key, tag, end user, balance and account.',
})
class SharedReceiptType extends ReceiptFields {
  @Field(() => ID, { description: 'The call’s id.' })
  callId!: string;

  @Field(() => String, { description: 'The price tier.' })
  tier!: string;

  @Field(() => Boolean, { description: 'Whether the tokens are an estimate of ours.' })
  isEstimated!: boolean;

  @Field(() => Int, { description: 'What the account paid, in per mille of that price; 1000: all of it.' })
  priceMultiplier!: number;

  @Field(() => CreditsScalar, { description: 'What it cost.' })
  charged!: number;

  @Field(() => CreditsScalar, { description: 'What the operator paid of it.' })
  absorbed!: number;

  @Field(() => DateTimeScalar, { description: 'Until when it is shown.' })
  expiresAt!: number;
}

@Resolver()
export class ReceiptLinksResolver {
  constructor(private readonly links: Pick<ReceiptLinks, 'share' | 'stopSharing' | 'findShared'>) {}

  // Whoever has the link may see it.
  @Access({ keys: 'any', members: 'person' })
  @Query(() => SharedReceiptType, {
    nullable: true,
    description: 'The receipt that a link shows; nobody need be signed in. null: there is none, or the link has ended.',
  })
  async sharedReceipt(
    @Arg('token', () => String, { description: 'The part of the link after the #.' }) token: string,
  ): Promise<SharedReceiptType | null> {
    if (token.length > tokenLengthMax) throw new InvalidInputError('token', 'Open the link as it was sent to you.');
    const shared = await this.links.findShared(token);
    return shared && toSharedReceipt(shared.call, shared.expiresAtMs);
  }

  // To show something to others takes the consent of a person.
  @Access({ keys: 'none', members: builders })
  @Mutation(() => ReceiptLinkType, {
    description: 'Makes a link that shows the receipt of a call to anyone who has it. At most 100 at once.',
  })
  async shareReceipt(@Args(() => ShareReceiptArgs) args: ShareReceiptArgs, @Ctx() context: GraphqlContext) {
    const { token, expiresAtMs } = await this.links.share(requireSession(context).accountId, args.callId, args.days);
    return { token, expiresAt: expiresAtMs };
  }

  @Access({ keys: 'none', members: builders })
  @Mutation(() => Int, { description: 'Ends every link to the receipt of a call; answers how many there were.' })
  async stopSharingReceipt(
    @Arg('callId', () => ID, { description: 'The call’s id.' }) callId: string,
    @Ctx() context: GraphqlContext,
  ): Promise<number> {
    return this.links.stopSharing(requireSession(context).accountId, callId);
  }
}

function toSharedReceipt(call: CallRecord, expiresAt: number): SharedReceiptType {
  return {
    ...toReceiptFields(call),
    callId: call.callId,
    tier: call.tier,
    isEstimated: call.usageSource === 'estimated',
    priceMultiplier: call.priceMultiplier ?? listPriceMultiplier,
    charged: call.chargedMillicredits,
    absorbed: call.absorbedMillicredits,
    expiresAt,
  };
}
