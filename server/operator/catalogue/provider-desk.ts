import type { EntityManager } from 'typeorm';
import type { NewProviderKey, ProviderChange, ProviderChanges } from '../../catalogue/provider-changes.js';
import type { ProviderFacts } from '../../catalogue/provider-report.js';
import type { ProviderTrial } from '../../catalogue/provider-trial.js';
import { AppError } from '../../kernel/app-error.js';
import type { OperatorAction } from '../operator-event.entity.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

export interface ProviderDeskParts {
  readonly log: OperatorLog;
  readonly changes: ProviderChanges;
  /** Has this process take over what was changed, and throws nothing: the change is made. */
  readonly takeOver: () => Promise<void>;
  readonly listProviders: () => readonly ProviderFacts[];
  readonly tryProvider: (providerId: string, keyId: string | null) => Promise<ProviderTrial>;
  /** How far this process is with changes. */
  readonly findStanding: () => { readonly revision: number; readonly fault: string | null };
}

/** What operators set of providers. Each change stands in their log, in its transaction. */
export class ProviderDesk {
  constructor(private readonly parts: ProviderDeskParts) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): ProviderDesk {
    return new ProviderDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  list(): readonly ProviderFacts[] {
    return this.parts.listProviders();
  }

  findStanding() {
    return this.parts.findStanding();
  }

  /** @throws as `ProviderChanges.set`; InvalidInputError for the reason. */
  async set(providerId: string, change: ProviderChange, reason: string): Promise<ProviderFacts> {
    await this.parts.changes.set(providerId, change, this.#writes('set_provider', reason));
    return this.#findTakenOver(providerId);
  }

  /** @throws as `ProviderChanges.remove`; InvalidInputError for the reason. */
  async remove(providerId: string, reason: string): Promise<void> {
    await this.parts.changes.remove(providerId, this.#writes('remove_provider', reason));
    await this.parts.takeOver();
  }

  /** @returns the key's id. @throws as `ProviderChanges.addKey`; InvalidInputError for the reason. */
  async addKey(key: NewProviderKey, reason: string): Promise<string> {
    const id = await this.parts.changes.addKey(key, this.#writes('add_provider_key', reason));
    await this.parts.takeOver();
    return id;
  }

  /** @throws as `ProviderChanges.weighKey`; InvalidInputError for the reason. */
  async weighKey(keyId: string, weight: number, reason: string): Promise<void> {
    await this.parts.changes.weighKey(keyId, weight, this.#writes('weigh_provider_key', reason));
    await this.parts.takeOver();
  }

  /** @throws as `ProviderChanges.removeKey`; InvalidInputError for the reason. */
  async removeKey(keyId: string, reason: string): Promise<void> {
    await this.parts.changes.removeKey(keyId, this.#writes('remove_provider_key', reason));
    await this.parts.takeOver();
  }

  /** Written down before it is asked, since it costs a token. @throws as `tryProvider`. */
  async test(providerId: string, keyId: string | null): Promise<ProviderTrial> {
    if (!this.list().some(({ id }) => id === providerId)) throw noSuchProvider();
    await this.parts.log.note({ action: 'test_provider', subject: providerId, reason: 'Test call' });
    return this.parts.tryProvider(providerId, keyId);
  }

  #writes(action: OperatorAction, reason: string) {
    requireReason(reason);
    return (transaction: EntityManager, subject: string) =>
      this.parts.log.write(transaction, { action, subject, reason });
  }

  async #findTakenOver(providerId: string): Promise<ProviderFacts> {
    await this.parts.takeOver();
    const found = this.list().find(({ id }) => id === providerId);
    if (found === undefined) throw noSuchProvider();
    return found;
  }
}

function noSuchProvider(): AppError {
  return new AppError('not_found', 'There is no such provider. The list of providers names them.');
}
