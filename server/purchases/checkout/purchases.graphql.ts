import { IsOptional, MaxLength } from 'class-validator';
import {
  Arg,
  Args,
  Ctx,
  Field,
  Float,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  registerEnumType,
} from 'type-graphql';
import { isId } from '../../kernel/ids.js';
import type { MemberRole } from '../../kernel/member-role.js';
import { Access, everybody, payers } from '../../schema/access.js';
import { createConnectionType, PageArgs, readPage, toConnection } from '../../schema/connection.js';
import { type Caller, findIdempotencyKey, type GraphqlContext, requireViewer } from '../../schema/graphql-context.js';
import { CreditsScalar, DateTimeScalar } from '../../schema/scalars.js';
import type { Purchase } from '../purchase-rows.js';
import { simulatedGatewayName } from '../simulated/simulated-gateway.js';
import { creditPacks } from './credit-packs.js';
import type { PurchaseDetails, PurchaseService } from './purchase-service.js';

type PurchaseStatus = Purchase['status'];

// The names on the wire stand on the left.
const purchaseStatuses = {
  PENDING: 'pending',
  PAID: 'paid',
  EXPIRED: 'expired',
} as const satisfies Record<Uppercase<PurchaseStatus>, PurchaseStatus>;
registerEnumType(purchaseStatuses, {
  name: 'PurchaseStatus',
  description: 'The state of a purchase.',
  valuesConfig: {
    PENDING: { description: 'Not paid yet, as far as we know.' },
    PAID: { description: 'Paid, and its credits are granted.' },
    EXPIRED: { description: 'Not paid in time. It costs and brings nothing.' },
  },
});

// The names on the wire stand on the left.
const disputeStatuses = { OPEN: 'open', LOST: 'lost' } as const;
type DisputeStatus = (typeof disputeStatuses)[keyof typeof disputeStatuses];
registerEnumType(disputeStatuses, {
  name: 'DisputeStatus',
  description: 'The state of a dispute of a payment that the buyer’s bank has begun.',
  valuesConfig: {
    OPEN: { description: 'It runs. The account can make no calls until it is over.' },
    LOST: { description: 'It is over and the bank kept the money, so the credits are gone.' },
  },
});

@ObjectType('CreditPack', { description: 'An amount of credits on offer.' })
class CreditPackType {
  @Field(() => ID, { description: 'The id to buy it by.' })
  id!: string;

  @Field(() => Int, { description: 'Its price in US dollars.' })
  dollars!: number;

  @Field(() => CreditsScalar, { description: 'The credits that it brings.' })
  credits!: number;
}

@ObjectType('Purchase', { description: 'One attempt to buy credits.' })
class PurchaseType {
  @Field(() => ID, { description: 'The id, `pur_…`.' })
  id!: string;

  @Field(() => Int, { description: 'Its price in US dollars.' })
  dollars!: number;

  @Field(() => CreditsScalar, { description: 'The credits that it brings once it is paid.' })
  credits!: number;

  @Field(() => purchaseStatuses, { description: 'Its state.' })
  status!: PurchaseStatus;

  @Field(() => DateTimeScalar, { description: 'When it was begun.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was paid; null: not yet, or never.' })
  paidAt!: number | null;

  @Field(() => Boolean, { description: 'Whether its checkout only pretends: no real money moves.' })
  isSimulated!: boolean;

  @Field(() => Boolean, { description: 'Whether the automatic top-up bought it.' })
  isAutomatic!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Where it can be paid; null when it no longer can be, and for an operator who looks as the customer.',
  })
  checkoutUrl!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The payment service’s receipt; null: there is none, or not yet.',
  })
  receiptUrl!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The payment service’s invoice; null: there is none, or not yet.',
  })
  invoiceUrl!: string | null;

  @Field(() => Float, { description: 'What was given back of its price so far, in US dollars with cents.' })
  refundedDollars!: number;

  @Field(() => CreditsScalar, { description: 'The credits that were taken back for that.' })
  refundedCredits!: number;

  @Field(() => CreditsScalar, { description: 'The credits that were taken back because a bank withdrew the money.' })
  disputedCredits!: number;

  @Field(() => disputeStatuses, { nullable: true, description: 'The state of its dispute; null: none, or one we won.' })
  disputeStatus!: DisputeStatus | null;
}

const PurchaseConnectionType = createConnectionType(PurchaseType, 'Purchase');

@ObjectType('Checkout', { description: 'A purchase that waits to be paid.' })
class CheckoutType {
  @Field(() => PurchaseType, { description: 'The purchase.' })
  purchase!: PurchaseType;

  @Field(() => String, { description: 'The page to send the buyer to.' })
  url!: string;
}

@InputType('StartCheckoutInput', {
  description: 'What to buy: a pack or an amount, exactly one of the two; the other is left out, or null.',
})
class StartCheckoutInput {
  @IsOptional()
  @MaxLength(100)
  @Field(() => ID, { nullable: true, description: 'The id of a pack, as `creditPacks` lists them.' })
  packId?: string | null;

  @IsOptional()
  @Field(() => Int, { nullable: true, description: 'A whole number of US dollars, 5 to 1,000.' })
  dollars?: number | null;
}

/** What a person is in an account; null: no member. */
type FindRole = (of: { readonly accountId: string; readonly personId: string }) => Promise<MemberRole | null>;

@Resolver()
export class PurchasesResolver {
  constructor(
    private readonly purchaseService: PurchaseService,
    private readonly findRole: FindRole,
  ) {}

  @Access({ keys: 'any', members: 'person', isViewable: true })
  @Query(() => [CreditPackType], { description: 'What is on offer. 1 dollar buys 1,000 credits, in a pack or not.' })
  creditPacks(): CreditPackType[] {
    return creditPacks.map(({ id, dollars, creditsMillicredits }) => ({ id, dollars, credits: creditsMillicredits }));
  }

  @Access({ keys: ['usage:read', 'billing:write'], members: everybody, isViewable: true })
  @Query(() => PurchaseConnectionType, { description: 'The account’s purchases, newest first.' })
  async purchases(@Args(() => PageArgs) page: PageArgs, @Ctx() context: GraphqlContext) {
    const viewer = requireViewer(context);
    const asked = readPage(page, (text) => isId('purchase', text));
    const found = await this.purchaseService.listPurchases(viewer.accountId, {
      first: asked.first,
      beforeId: asked.afterKey,
    });
    const toNode = await this.#readDetails(found.items, viewer);
    return toConnection(found, asked, { toNode, keyOf: ({ id }) => id });
  }

  @Access({ keys: ['usage:read', 'billing:write'], members: everybody, isViewable: true })
  @Query(() => PurchaseType, {
    nullable: true,
    description: 'One of the account’s purchases; null when there is none.',
  })
  async purchase(
    @Arg('id', () => ID, { description: 'The purchase’s id.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<PurchaseType | null> {
    const viewer = requireViewer(context);
    const purchase = await this.purchaseService.findPurchase(viewer.accountId, id);
    return purchase && this.#toType(purchase, viewer);
  }

  @Access({ keys: ['billing:write'], members: payers })
  @Mutation(() => CheckoutType, {
    description:
      'Begins a purchase. Nothing is charged before the buyer pays at `url`. `CONFLICT` while the account is frozen: the credits could not be used.',
  })
  async startCheckout(
    @Arg('input', () => StartCheckoutInput, { description: 'What to buy.' }) { packId, dollars }: StartCheckoutInput,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      description:
        'A text of your own, 1 to 255 characters, or the header `Idempotency-Key`: the same request again within 24 hours answers the same purchase, in its current state. `CONFLICT` for other input. null: none.',
    })
    idempotencyKey: string | null,
    @Ctx() context: GraphqlContext,
  ): Promise<CheckoutType> {
    const viewer = requireViewer(context);
    const choice = { packId: packId ?? undefined, dollars: dollars ?? undefined };
    const key = findIdempotencyKey(context, idempotencyKey);
    const { purchase, url } = await this.purchaseService.startCheckout(viewer.accountId, choice, key);
    return { purchase: await this.#toType(purchase, viewer), url };
  }

  @Access({ keys: ['billing:write'], members: payers })
  @Mutation(() => PurchaseType, {
    description: 'Asks the payment service whether a purchase is paid, and grants its credits if so. Safe to repeat.',
  })
  async confirmPurchase(
    @Arg('id', () => ID, { description: 'The purchase’s id.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<PurchaseType> {
    const viewer = requireViewer(context);
    const accountId = await this.#findPayingAccount(viewer, id);
    return this.#toType(await this.purchaseService.confirmPurchase(accountId, id), viewer);
  }

  /** The account of a purchase that the person pays for. While they were away to pay, another tab may have begun to act for another one. */
  async #findPayingAccount({ accountId, personId }: Caller, purchaseId: string): Promise<string> {
    const ownerId = personId === null ? null : await this.purchaseService.findOwner(purchaseId);
    if (ownerId === null || personId === null || ownerId === accountId) return accountId;
    const role = await this.findRole({ accountId: ownerId, personId });
    return role !== null && payers.includes(role) ? ownerId : accountId;
  }

  async #toType(purchase: Purchase, viewer: Caller): Promise<PurchaseType> {
    return (await this.#readDetails([purchase], viewer))(purchase);
  }

  async #readDetails(
    purchases: readonly Purchase[],
    { operatorId }: Caller,
  ): Promise<(purchase: Purchase) => PurchaseType> {
    const detailsOf = await this.purchaseService.listDetails(purchases.map(({ id }) => id));
    return (purchase) => {
      const shown = toPurchaseType(purchase, detailsOf.get(purchase.id));
      // An operator who looks as the customer does not pay in their place.
      return operatorId === undefined ? shown : { ...shown, checkoutUrl: null };
    };
  }
}

function findDisputeStatus(reversal: PurchaseDetails['reversal']): DisputeStatus | null {
  if (reversal === null) return null;
  if (reversal.disputeState !== 'none') return 'open';
  return reversal.disputedMillicredits > 0 ? 'lost' : null;
}

function toPurchaseType(purchase: Purchase, details: PurchaseDetails | undefined): PurchaseType {
  const reversal = details?.reversal ?? null;
  return {
    id: purchase.id,
    dollars: purchase.amountCents / 100,
    credits: purchase.creditsMillicredits,
    status: purchase.status,
    createdAt: purchase.createdAtMs,
    paidAt: purchase.paidAtMs,
    isSimulated: purchase.gateway === simulatedGatewayName,
    checkoutUrl: purchase.status === 'pending' ? purchase.checkoutUrl : null,
    isAutomatic: details?.isAutomatic ?? false,
    receiptUrl: purchase.receiptUrl,
    invoiceUrl: purchase.invoiceUrl,
    refundedDollars: (reversal?.refundedCents ?? 0) / 100,
    refundedCredits: reversal?.refundedMillicredits ?? 0,
    disputedCredits: reversal?.disputedMillicredits ?? 0,
    disputeStatus: findDisputeStatus(reversal),
  };
}
