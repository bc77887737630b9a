import { Not } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { ResealedSecrets } from '../../factors/authenticator-apps.js';
import type { SecretBox } from '../../factors/secret-box.js';
import { OperatorEntity } from './operator.entity.js';
import { operatorSecretPurpose } from './operator-sign-in.js';

/**
 * Seals the secrets of operators' apps by the key that is set now. May run beside servers, and again. An invitation that was begun
 * under the old key is renewed instead.
 */
export async function resealOperatorSecrets(unitOfWork: UnitOfWork, secretBox: SecretBox): Promise<ResealedSecrets> {
  const counts = { resealed: 0, current: 0, unreadable: 0 };
  for (const { id, sealedSecret } of await unitOfWork.reader.findBy(OperatorEntity, { sealedSecret: Not('') })) {
    const anew = await secretBox.reseal(sealedSecret, operatorSecretPurpose);
    counts[anew === null ? 'unreadable' : anew === sealedSecret ? 'current' : 'resealed'] += 1;
    if (anew === null || anew === sealedSecret) continue;
    await unitOfWork.transactForServer((transaction) =>
      transaction.update(OperatorEntity, { id, sealedSecret }, { sealedSecret: anew }),
    );
  }
  return counts;
}
