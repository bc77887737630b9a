import type { UnitOfWork } from '../database/unit-of-work.js';
import { providerKeyPurpose } from './catalogue-store.js';
import { ProviderKeyEntity } from './provider-key.entity.js';

/** Seals the keys of providers by the key that is set now. May run beside servers, and again. */
export async function resealProviderKeys(
  unitOfWork: UnitOfWork,
  box: { reseal(sealed: string, purpose: string): Promise<string | null> },
): Promise<{ resealed: number; current: number; unreadable: number }> {
  const counts = { resealed: 0, current: 0, unreadable: 0 };
  for (const row of await unitOfWork.reader.find(ProviderKeyEntity)) {
    const { id, sealedSecret } = row;
    const anew = await box.reseal(sealedSecret, providerKeyPurpose(row));
    counts[anew === null ? 'unreadable' : anew === sealedSecret ? 'current' : 'resealed'] += 1;
    if (anew === null || anew === sealedSecret) continue;
    await unitOfWork.transactForServer((transaction) =>
      transaction.update(ProviderKeyEntity, { id, sealedSecret }, { sealedSecret: anew }),
    );
  }
  return counts;
}
