import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import type { Secret } from '../kernel/secret.js';
import { findSecretFault } from '../kernel/settings/setting-shapes.js';
import { KeyCooling } from '../providers/health/key-cooling.js';
import { KeyRing } from '../providers/key-ring.js';
import type { ProviderOverlay } from '../providers/settings/provider-overlay.js';
import { type FileProvider, readFileProvider } from '../providers/settings/tollgate-file.js';
import { noteCatalogueChange, providerKeyPurpose, type Sealer, toEntry } from './catalogue-store.js';
import { ProviderKeyEntity } from './provider-key.entity.js';
import { ProviderSettingEntity } from './provider-setting.entity.js';

/** What is to be set of a provider; what is left out stays as it is. */
export interface ProviderChange {
  readonly isOn?: boolean;
  /** null: behind those that have one. */
  readonly rank?: number | null;
  readonly name?: string;
  readonly adapter?: string;
  readonly address?: string;
}

export interface NewProviderKey {
  readonly providerId: string;
  readonly secret: Secret;
  /** 1 to 1,000. */
  readonly weight: number;
  /** A key that is taken out in the same transaction; null: none. */
  readonly replaces: string | null;
}

/** Writes down who did it, in the transaction of the change. @param subject The provider or key. */
export type AlsoWrite = (transaction: EntityManager, subject: string) => Promise<void>;

export interface ProviderChangesParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Whether the file or the built-in catalogue knows the provider. */
  readonly isKnown: (providerId: string) => boolean;
  /** Why such providers must not be called here, in one sentence with the remedy; null: they may. */
  readonly findFault: (overlay: ProviderOverlay) => string | null;
}

const keysOfProviderMax = 8;
const providersMax = 200;
const weightMax = 1_000;

/** Changes providers and their keys while servers run. Each is counted in its transaction, so that every instance takes it over. */
export class ProviderChanges {
  constructor(private readonly parts: ProviderChangesParts) {}

  /**
   * Switches, moves, adds or renames a provider. Of one that the file or the built-in catalogue knows, address, adapter and name are not
   * changed here: its key, which may stand in the environment, must go nowhere else.
   * @throws InvalidInputError naming the field; AppError `conflict` for a new address while keys are kept.
   */
  async set(providerId: string, change: ProviderChange, also: AlsoWrite): Promise<void> {
    const { clock, isKnown, unitOfWork } = this.parts;
    if (isKnown(providerId)) refuseFieldsOfFile(change);
    checkRank(change.rank);
    await unitOfWork.transact(async (transaction) => {
      await noteCatalogueChange(transaction);
      const before = await transaction.findOneBy(ProviderSettingEntity, { id: providerId });
      const after = { ...(before ?? blank(providerId)), ...toColumns(change), updatedAtMs: clock.nowMs() };
      if (!isKnown(providerId)) this.#refuse({ providers: [readOwnProvider(after)] });
      if (before === null && (await transaction.count(ProviderSettingEntity)) >= providersMax)
        throw new AppError('conflict', `There are ${providersMax} providers already. Remove one first.`);
      const isMoved = before !== null && before.baseUrl !== after.baseUrl;
      if (isMoved && (await transaction.existsBy(ProviderKeyEntity, { providerId })))
        throw new AppError('conflict', 'Take its keys out before you give it another address: they are for this one.');
      await transaction.upsert(ProviderSettingEntity, after, ['id']);
      await also(transaction, providerId.slice(0, 40));
    });
  }

  /** Takes out a provider that was added here, with its keys; or what was set here of any other. @throws AppError `not_found`. */
  async remove(providerId: string, also: AlsoWrite): Promise<void> {
    await this.parts.unitOfWork.transact(async (transaction) => {
      await noteCatalogueChange(transaction);
      const settings = await transaction.delete(ProviderSettingEntity, { id: providerId });
      const keys = await transaction.delete(ProviderKeyEntity, { providerId });
      if (!settings.affected && !keys.affected)
        throw new AppError('not_found', 'Nothing is set in the database of this provider.');
      await also(transaction, providerId.slice(0, 40));
    });
  }

  /**
   * Seals a key and keeps it. @returns its id.
   * @throws InvalidInputError; AppError `not_found`; `conflict` where SECRETS_KEY is missing, or for a ninth key.
   */
  async addKey({ providerId, secret, weight, replaces }: NewProviderKey, also: AlsoWrite): Promise<string> {
    const { clock, sealer, unitOfWork } = this.parts;
    checkWeight(weight);
    const fault = findSecretFault('secret', secret.reveal());
    if (fault !== null) throw new InvalidInputError('secret', `${fault}.`);
    const id = createId('providerKey');
    // Whichever provider it is for: with a key it costs real money.
    this.#refuse({ keys: new Map([['openai', new KeyRing([{ id, secret, weight }], new KeyCooling())]]) });
    const sealedSecret = await sealer.seal(secret.reveal(), providerKeyPurpose({ id, providerId }));
    await unitOfWork.transact(async (transaction) => {
      await noteCatalogueChange(transaction);
      await this.#assertProvider(transaction, providerId);
      if (replaces !== null) await takeOut(transaction, replaces, providerId);
      if ((await transaction.countBy(ProviderKeyEntity, { providerId })) >= keysOfProviderMax)
        throw new AppError('conflict', `A provider has at most ${keysOfProviderMax} keys. Take one out first.`);
      const row = { id, providerId, sealedSecret, masked: maskProviderKey(secret), weight };
      await transaction.insert(ProviderKeyEntity, { ...row, createdAtMs: clock.nowMs() });
      await also(transaction, id);
    });
    return id;
  }

  /** @throws InvalidInputError; AppError `not_found`. */
  async weighKey(keyId: string, weight: number, also: AlsoWrite): Promise<void> {
    checkWeight(weight);
    await this.parts.unitOfWork.transact(async (transaction) => {
      await noteCatalogueChange(transaction);
      if (!(await transaction.existsBy(ProviderKeyEntity, { id: keyId }))) throw noSuchKey();
      await transaction.update(ProviderKeyEntity, { id: keyId }, { weight });
      await also(transaction, keyId);
    });
  }

  /** Removes a key for ever; calls that run with it go on. @throws AppError `not_found`. */
  async removeKey(keyId: string, also: AlsoWrite): Promise<void> {
    await this.parts.unitOfWork.transact(async (transaction) => {
      await noteCatalogueChange(transaction);
      await takeOut(transaction, keyId, null);
      await also(transaction, keyId);
    });
  }

  #refuse(part: Partial<ProviderOverlay>): void {
    const nothing = { providers: [], keys: new Map<string, KeyRing>(), off: new Set<string>() };
    const fault = this.parts.findFault({ ...nothing, ranks: new Map<string, number>(), ...part });
    if (fault !== null) throw new AppError('conflict', `${fault}.`);
  }

  // Within the transaction: a key must not outlive the provider that is taken out at its side.
  async #assertProvider(transaction: EntityManager, providerId: string): Promise<void> {
    if (this.parts.isKnown(providerId)) return;
    const own = await transaction.findOneBy(ProviderSettingEntity, { id: providerId });
    if (own?.baseUrl != null) return;
    throw new AppError('not_found', 'There is no such provider. Add it with its address first.');
  }
}

/** The last four characters of a key that is long enough to lose them. */
export function maskProviderKey(secret: Secret): string {
  const text = secret.reveal();
  return text.length >= 20 ? `…${text.slice(-4)}` : '…';
}

function blank(id: string): ProviderSettingEntity {
  return { id, isOff: false, rank: null, name: null, adapter: null, baseUrl: null, updatedAtMs: 0 };
}

function toColumns({ isOn, rank, name, adapter, address }: ProviderChange): Partial<ProviderSettingEntity> {
  return {
    ...(isOn === undefined ? {} : { isOff: !isOn }),
    ...(rank === undefined ? {} : { rank }),
    ...(name === undefined ? {} : { name }),
    ...(adapter === undefined ? {} : { adapter }),
    ...(address === undefined ? {} : { baseUrl: address.replace(/\/+$/, '') }),
  };
}

function refuseFieldsOfFile(change: ProviderChange): void {
  const field = (['name', 'adapter', 'address'] as const).find((name) => change[name] !== undefined);
  if (field === undefined) return;
  const words = `The ${field} of this provider is set in tollgate.yaml, or built in. Change it there, or add a provider under another name.`;
  throw new InvalidInputError(field, words);
}

function readOwnProvider(setting: ProviderSettingEntity): FileProvider {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(setting.id))
    throw new InvalidInputError('id', 'A provider’s id has lower-case letters, digits and hyphens, at most 40.');
  if (setting.baseUrl === null)
    throw new InvalidInputError('address', 'There is no such provider. To add one, say its address as well.');
  if (setting.baseUrl.length > 2_048)
    throw new InvalidInputError('address', 'An address has at most 2,048 characters.');
  const { provider, faults } = readFileProvider(setting.id, toEntry(setting));
  if (provider !== null) return provider;
  const fault = faults[0] ?? '';
  const field = fault.includes('.baseUrl') ? 'address' : fault.includes('.adapter') ? 'adapter' : 'name';
  throw new InvalidInputError(field, `${fault.replace(/^providers\.[^:]*:\s*/, '')}.`);
}

function checkRank(rank: number | null | undefined): void {
  if (rank == null || (Number.isInteger(rank) && rank >= 1 && rank <= 1_000)) return;
  throw new InvalidInputError('rank', 'A place is 1 to 1,000, the lowest first; null puts the provider behind others.');
}

function checkWeight(weight: number): void {
  if (Number.isInteger(weight) && weight >= 1 && weight <= weightMax) return;
  throw new InvalidInputError('weight', `A weight is 1 to ${weightMax}.`);
}

async function takeOut(transaction: EntityManager, id: string, providerId: string | null): Promise<void> {
  const which = providerId === null ? { id } : { id, providerId };
  const { affected } = await transaction.delete(ProviderKeyEntity, which);
  if (affected !== 1) throw noSuchKey();
}

function noSuchKey(): AppError {
  return new AppError('not_found', 'There is no such key of a provider. It may have been taken out meanwhile.');
}
