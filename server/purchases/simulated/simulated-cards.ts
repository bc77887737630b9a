import { AppError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import type { CardCharge, CardGateway, CardSetup, CardSetupRequest } from '../card-gateway.js';
import { type SimulatedGateway, simulatedGatewayName } from './simulated-gateway.js';

const setupPrefix = 'simcard_';

/** A card that does not exist, for trying the automatic top-up out. It always pays, with no real money. */
export class SimulatedCards implements CardGateway {
  readonly name = simulatedGatewayName;

  constructor(
    private readonly gateway: Pick<SimulatedGateway, 'payAtOnce' | 'findSessionOf'>,
    private readonly clock: Clock,
  ) {}

  async startCardSetup({ accountId, personId, returnUrl }: CardSetupRequest): Promise<{ url: string }> {
    return { url: `${returnUrl}?card=${setupPrefix}${accountId}-${personId}` };
  }

  async findCardSetup(setupId: string): Promise<CardSetup | null> {
    if (!setupId.startsWith(setupPrefix)) return null;
    const [accountId = '', personId = null] = setupId.slice(setupPrefix.length).split('-');
    const card = { cardId: setupId, brand: 'simulated', last4: '4242', expiryMonth: 12, expiryYear: 2099 };
    return { accountId, personId, card, begunAtMs: this.clock.nowMs() };
  }

  async chargeSavedCard(charge: CardCharge): Promise<{ paymentId: string }> {
    return { paymentId: await this.gateway.payAtOnce(charge) };
  }

  async findCharge({ purchaseId }: Pick<CardCharge, 'purchaseId'>): Promise<{ paymentId: string } | null> {
    const session = await this.gateway.findSessionOf(purchaseId);
    return session && { paymentId: session.sessionId };
  }

  async forgetCard(): Promise<void> {}

  async listCardIds(): Promise<readonly string[]> {
    return [];
  }

  async openBillingPortal(): Promise<string> {
    throw new AppError('forbidden', 'There is no billing portal here: no real money is taken.');
  }
}
