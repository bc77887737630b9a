import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { KeyChanges } from './key-changes.js';

interface TellingParts {
  readonly unitOfWork: Pick<UnitOfWork, 'transactForServer'>;
  readonly keyChanges: Pick<KeyChanges, 'note' | 'takenOver'>;
}

/**
 * The ledger, whose wallets are frozen, opened and closed only with the knowledge of every instance: the change is noted after the
 * ledger's commit, and answered as one of a key is. Whoever dies in between has answered nobody, and is to ask again.
 */
export function tellOfWalletStates(ledger: Ledger, { unitOfWork, keyChanges }: TellingParts) {
  const setWalletState: Ledger['setWalletState'] = async (input) => {
    const result = await ledger.setWalletState(input);
    if (result.status === 'refused') return result;
    const changed = { accountId: input.accountId, keyId: null };
    await keyChanges.takenOver(
      await unitOfWork.transactForServer((transaction) => keyChanges.note(transaction, changed)),
    );
    return result;
  };
  return {
    setWalletState,
    activity: ledger.activity,
    grantCredits: ledger.grantCredits.bind(ledger),
    reverseGrant: ledger.reverseGrant.bind(ledger),
    findSettlementStanding: ledger.findSettlementStanding.bind(ledger),
  };
}
