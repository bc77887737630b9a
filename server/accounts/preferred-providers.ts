import { noteEvent } from '../audit/note-event.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { InvalidInputError, NotFoundError } from '../kernel/app-error.js';
import type { Stopwatch } from '../kernel/clock.js';
import { AccountEntity } from './account.entity.js';
import type { Account } from './account-service.js';

const freshMs = 5_000;
const rememberedMax = 50_000;

/** Which provider each account would rather be answered by. Read at every call, so it is remembered for five seconds. */
export class PreferredProviders {
  // A Map keeps the order of insertion, so its first entry is the oldest.
  readonly #remembered = new Map<string, { readonly provider: string | null; readonly freshUntilElapsedMs: number }>();

  /** @param listProviderIds The providers that are on. */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Stopwatch,
    private readonly listProviderIds: () => readonly string[],
  ) {}

  /** null: no preference, or the database does not answer; then the call's own hold says so. */
  async find(accountId: string): Promise<string | null> {
    const remembered = this.#remembered.get(accountId);
    if (remembered && this.clock.elapsedMs() < remembered.freshUntilElapsedMs) return remembered.provider;
    try {
      const account = await this.unitOfWork.reader.findOneBy(AccountEntity, { id: accountId });
      this.#remember(accountId, account?.preferredProvider ?? null);
      return account?.preferredProvider ?? null;
    } catch {
      return null;
    }
  }

  /**
   * Sets or, with null, takes back the preference. This process heeds it from the next call on, others within five seconds.
   * @throws InvalidInputError for a provider that is not on.
   */
  async set(accountId: string, provider: string | null): Promise<Account> {
    const providerIds = this.listProviderIds();
    if (provider !== null && !providerIds.includes(provider)) {
      const message = `There is no provider '${provider.slice(0, 60)}' here. Choose one of: ${providerIds.join(', ')}.`;
      throw new InvalidInputError('provider', message);
    }
    const account = await this.unitOfWork.transactInTurn(accountId, async (transaction) => {
      await transaction.update(AccountEntity, { id: accountId }, { preferredProvider: provider });
      await noteEvent(transaction, { accountId, kind: 'provider_preferred', detail: provider });
      return transaction.findOneBy(AccountEntity, { id: accountId });
    });
    if (!account) throw new NotFoundError('account');
    this.#remember(accountId, provider);
    return account;
  }

  #remember(accountId: string, provider: string | null): void {
    this.#remembered.delete(accountId);
    const oldest = this.#remembered.size >= rememberedMax ? this.#remembered.keys().next().value : undefined;
    if (oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(accountId, { provider, freshUntilElapsedMs: this.clock.elapsedMs() + freshMs });
  }
}
