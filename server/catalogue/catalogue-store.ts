import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Logger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import type { KeyCooling } from '../providers/health/key-cooling.js';
import { KeyRing, type ProviderKey } from '../providers/key-ring.js';
import type { ProviderOverlay } from '../providers/settings/provider-overlay.js';
import { type FileProvider, readFileProvider } from '../providers/settings/tollgate-file.js';
import { CatalogueRevisionEntity } from './catalogue-revision.entity.js';
import { ProviderKeyEntity } from './provider-key.entity.js';
import { ProviderSettingEntity } from './provider-setting.entity.js';

/** What seals the keys of providers. */
export interface Sealer {
  seal(text: string, purpose: string): Promise<string>;
  open(sealed: string, purpose: string): Promise<string | null>;
}

/** A key as it may be shown. */
export type StoredKey = Readonly<Omit<ProviderKeyEntity, 'sealedSecret'>> & {
  /** Whether SECRETS_KEY opens it; one that it does not open is not used. */
  readonly isReadable: boolean;
};

/** All that the database says of providers. */
export interface StoredProviders {
  /** How many changes there were when it was read; a change that is committed meanwhile may be in it. */
  readonly revision: number;
  readonly overlay: ProviderOverlay;
  readonly settings: readonly Readonly<ProviderSettingEntity>[];
  readonly keys: readonly StoredKey[];
}

export interface CatalogueStoreParts {
  readonly unitOfWork: UnitOfWork;
  readonly sealer: Sealer;
  readonly cooling: KeyCooling;
  readonly logger: Logger;
}

/** Sealed for one key of one provider, so that a row moved to another provider opens nothing. */
export function providerKeyPurpose({ id, providerId }: Pick<ProviderKeyEntity, 'id' | 'providerId'>): string {
  return `provider key ${providerId} ${id}`;
}

/** Counts a change, as the first statement of the transaction that makes it: changes wait for each other from here on. */
export async function noteCatalogueChange(transaction: EntityManager): Promise<void> {
  const first = { id: 1, number: 0 };
  await transaction.createQueryBuilder().insert().into(CatalogueRevisionEntity).values(first).orIgnore().execute();
  await transaction.increment(CatalogueRevisionEntity, { id: 1 }, 'number', 1);
}

/** Reads what operators have set of providers. */
export class CatalogueStore {
  constructor(private readonly parts: CatalogueStoreParts) {}

  /** How many changes there were. @throws the driver's error. */
  async readRevision(): Promise<number> {
    const row = await this.parts.unitOfWork.reader.findOneBy(CatalogueRevisionEntity, { id: 1 });
    return row?.number ?? 0;
  }

  /**
   * A key that SECRETS_KEY does not open is left out, and told to the log. @throws the driver's error; AppError where there are keys and
   * SECRETS_KEY is not set.
   */
  async read(): Promise<StoredProviders> {
    const { reader } = this.parts.unitOfWork;
    const revision = await this.readRevision();
    const settings = await reader.find(ProviderSettingEntity, { order: { id: 'ASC' } });
    const rows = await reader.find(ProviderKeyEntity, { order: { providerId: 'ASC', id: 'ASC' } });
    const opened = await Promise.all(rows.map((row) => this.#open(row)));
    this.parts.cooling.keepOnly(new Set(rows.map(({ id }) => id)));
    const ranked = settings.flatMap(({ id, rank }) => (rank === null ? [] : [[id, rank] as const]));
    const overlay = {
      providers: settings.flatMap((setting) => this.#toProvider(setting)),
      keys: this.#toRings(opened.flatMap(({ providerId, key }) => (key === null ? [] : [{ providerId, key }]))),
      off: new Set(settings.filter(({ isOff }) => isOff).map(({ id }) => id)),
      ranks: new Map(ranked),
    };
    const keys = rows.map(({ sealedSecret: _, ...shown }, index) => ({
      ...shown,
      isReadable: opened[index]?.key != null,
    }));
    return { revision, overlay, settings, keys };
  }

  async #open(row: ProviderKeyEntity): Promise<{ providerId: string; key: ProviderKey | null }> {
    const { id, providerId, weight } = row;
    const text = await this.parts.sealer.open(row.sealedSecret, providerKeyPurpose(row));
    if (text === null) {
      const remedy = 'Set SECRETS_KEY to what it was when the key was added, or add the key again.';
      this.parts.logger.error('provider_key_unreadable', { provider: providerId, providerKeyId: id, remedy });
    }
    return { providerId, key: text === null ? null : { id, weight, secret: new Secret(text) } };
  }

  #toRings(opened: readonly { readonly providerId: string; readonly key: ProviderKey }[]): Map<string, KeyRing> {
    const ids = [...new Set(opened.map(({ providerId }) => providerId))];
    return new Map(
      ids.map((id) => {
        const keys = opened.filter(({ providerId }) => providerId === id).map(({ key }) => key);
        return [id, new KeyRing(keys, this.parts.cooling)];
      }),
    );
  }

  // It was proved when it was set; a later release may still have other rules.
  #toProvider(setting: ProviderSettingEntity): FileProvider[] {
    if (setting.baseUrl === null) return [];
    const { provider, faults } = readFileProvider(setting.id, toEntry(setting));
    if (provider === null) this.parts.logger.error('provider_setting_unreadable', { provider: setting.id, faults });
    return provider === null ? [] : [provider];
  }
}

/** What the entry of such a provider in `tollgate.yaml` would be. */
export function toEntry({ name, adapter, baseUrl }: Pick<ProviderSettingEntity, 'name' | 'adapter' | 'baseUrl'>) {
  return {
    ...(name === null ? {} : { name }),
    ...(adapter === null ? {} : { adapter }),
    ...(baseUrl === null ? {} : { baseUrl }),
  };
}
