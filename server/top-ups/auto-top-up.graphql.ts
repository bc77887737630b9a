import { IsBoolean, IsInt, IsNumber, IsOptional } from 'class-validator';
import { Arg, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { Access, type Proof, payers } from '../schema/access.js';
import { type GraphqlContext, requireFreshProof, requirePerson, requireViewer } from '../schema/graphql-context.js';
import { CreditsScalar, DateTimeScalar } from '../schema/scalars.js';
import type { TopUpChange } from './top-up-choice.js';
import { consentText, type TopUpSettings, type TopUpSettingsView } from './top-up-settings.js';

@ObjectType('SavedCard', { description: 'A card that the payment service keeps.' })
class SavedCardType {
  @Field(() => String, { description: 'Such as `visa`; `simulated` where no real money is taken.' })
  brand!: string;

  @Field(() => String, { description: 'Its last four digits.' })
  last4!: string;

  @Field(() => Int, { description: 'The month of its expiry, 1 to 12.' })
  expiryMonth!: number;

  @Field(() => Int, { description: 'The year of its expiry.' })
  expiryYear!: number;
}

@ObjectType('AutoTopUp', { description: 'Credits that are bought by themselves when the balance falls.' })
class AutoTopUpType {
  @Field(() => Boolean, { description: 'Whether it is on.' })
  isOn!: boolean;

  @Field(() => CreditsScalar, {
    nullable: true,
    description: 'Below this balance, reserved credits included, it buys; null: never set.',
  })
  threshold!: number | null;

  @Field(() => Int, { nullable: true, description: 'For how many US dollars it buys each time.' })
  dollars!: number | null;

  @Field(() => Int, { nullable: true, description: 'The most US dollars that it spends in a calendar month of UTC.' })
  monthlyCapDollars!: number | null;

  @Field(() => Int, { description: 'What it has spent this month, in US dollars; payments under way included.' })
  boughtThisMonthDollars!: number;

  @Field(() => SavedCardType, { nullable: true, description: 'The card that it charges; null: none is saved.' })
  card!: TopUpSettingsView['card'];

  @Field(() => String, {
    nullable: true,
    description:
      'The name of the person who saved the card. Only they turn the automatic top-up on or raise it; null: no card is saved, or nobody knows whose it is, and it is not charged.',
  })
  cardSavedBy!: string | null;

  @Field(() => Boolean, { description: 'Whether the signed-in person saved the card.' })
  isCardYours!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'Why the last attempt failed: `card_declined`, `canceled` (before it was taken), `authentication_required`, `no_card`, `no_answer` or `monthly_cap`; or why it was turned off: `refunded` or `disputed`, a purchase of the account; `taken_back`, credits of it by the operator; `payer_left`, the person who saved the card may not pay any more; `consent_needed`, they are to agree again.',
  })
  failure!: string | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'After a declined card: when it is tried again.' })
  pausedUntil!: number | null;

  @Field(() => String, { description: 'What the person who saved the card agrees to by turning it on.' })
  consentText!: string;
}

@InputType('AutoTopUpInput', {
  description: 'How the automatic top-up shall be. A field that is left out, or null, stays as it is.',
})
class AutoTopUpInput {
  @IsOptional()
  @IsBoolean()
  @Field(() => Boolean, { nullable: true, description: 'Whether it shall be on; at first it is not.' })
  isOn?: boolean | null;

  @IsOptional()
  @IsNumber()
  @Field(() => CreditsScalar, {
    nullable: true,
    description:
      'Below this balance, reserved credits included, it buys: at most the credits that `dollars` buy; at first 1,000.',
  })
  threshold?: number | null;

  @IsOptional()
  @IsInt()
  @Field(() => Int, { nullable: true, description: 'Whole US dollars each time, 5 to 1,000; at first 20.' })
  dollars?: number | null;

  @IsOptional()
  @IsInt()
  @Field(() => Int, {
    nullable: true,
    description: 'The most in a calendar month of UTC; at least `dollars`; at first 100.',
  })
  monthlyCapDollars?: number | null;

  @IsOptional()
  @IsBoolean()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'That the person who saved the card has agreed to `consentText`, for this change. Without it they can neither turn it on nor change it while it is on. Others who lower it need not agree.',
  })
  hasConsent?: boolean | null;
}

@ObjectType('CardSetup', { description: 'A page where a card is saved and nothing is charged.' })
class CardSetupType {
  @Field(() => String, { description: 'Its address. It leads back to `/credits?card=<id>`.' })
  url!: string;
}

const whenRaised: Proof = {
  words: 'To turn it on, or for a greater threshold, amount or monthly limit',
  isAskedInside: true,
};

@Resolver()
export class AutoTopUpResolver {
  constructor(
    private readonly settings: TopUpSettings,
    private readonly people: { findName(personId: string): Promise<string | null> },
  ) {}

  @Access({ keys: ['billing:write'], members: payers, isViewable: true })
  @Query(() => AutoTopUpType, { description: 'The account’s automatic top-up.' })
  async autoTopUp(@Ctx() context: GraphqlContext): Promise<AutoTopUpType> {
    return this.#toType(await this.settings.find(requireViewer(context).accountId), context);
  }

  @Access({ keys: 'none', members: payers, proof: whenRaised })
  @Mutation(() => AutoTopUpType, {
    description:
      'Changes the automatic top-up; what is left out of the input stays. Turning it on requires a saved card and consent. Only the person who saved the card may turn it on or raise it; others turn it off, lower it, or save a card of their own.',
  })
  async setAutoTopUp(
    @Arg('input', () => AutoTopUpInput, { description: 'How it shall be.' }) input: AutoTopUpInput,
    @Ctx() context: GraphqlContext,
  ): Promise<AutoTopUpType> {
    const payer = requirePerson(context);
    const wanted = toChange(input);
    const isRaised = await this.settings.raises(payer.accountId, wanted);
    if (isRaised) await requireFreshProof(context);
    return this.#toType(await this.settings.set(payer, wanted, isRaised), context);
  }

  @Access({ keys: 'none', members: payers, proof: 'always' })
  @Mutation(() => CardSetupType, { description: 'Opens a page of the payment service where a card is saved.' })
  async startCardSetup(@Ctx() context: GraphqlContext): Promise<CardSetupType> {
    const { accountId, personId } = requirePerson(context);
    return this.settings.startCardSetup({ accountId, personId });
  }

  // To charge a saved card takes the consent of a person.
  @Access({ keys: 'none', members: payers })
  @Mutation(() => AutoTopUpType, {
    description: 'Takes over the card that the person has saved on that page. Safe to repeat.',
  })
  async confirmCardSetup(
    @Arg('id', () => ID, { description: 'The id that the page came back with.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<AutoTopUpType> {
    const setupId = /^[\w-]{1,191}$/.test(id) ? id : '';
    return this.#toType(await this.settings.confirmCardSetup(requirePerson(context), setupId), context);
  }

  @Access({ keys: 'none', members: payers, proof: 'always' })
  @Mutation(() => String, {
    description:
      'Opens the payment service’s own page for cards, invoices and receipts, and answers its address. Refused while a card is kept there that is another member’s, or may be.',
  })
  async openBillingPortal(@Ctx() context: GraphqlContext): Promise<string> {
    return this.settings.openBillingPortal(requirePerson(context));
  }

  async #toType(view: TopUpSettingsView, { viewer }: GraphqlContext): Promise<AutoTopUpType> {
    const { payerId } = view;
    const toDollars = (cents: number | null) => (cents === null ? null : cents / 100);
    return {
      isOn: view.isOn,
      threshold: view.thresholdMillicredits,
      dollars: toDollars(view.amountCents),
      monthlyCapDollars: toDollars(view.monthlyCapCents),
      boughtThisMonthDollars: view.boughtThisMonthCents / 100,
      card: view.card,
      cardSavedBy: payerId === null ? null : await this.people.findName(payerId),
      isCardYours: payerId !== null && payerId === viewer?.personId,
      failure: view.failure,
      pausedUntil: view.pausedUntilMs,
      consentText,
    };
  }
}

function toChange({ isOn, threshold, dollars, monthlyCapDollars, hasConsent }: AutoTopUpInput): TopUpChange {
  return {
    hasConsent: hasConsent === true,
    ...(isOn == null ? {} : { isOn }),
    ...(threshold == null ? {} : { thresholdMillicredits: threshold }),
    ...(dollars == null ? {} : { dollars }),
    ...(monthlyCapDollars == null ? {} : { monthlyCapDollars }),
  };
}
