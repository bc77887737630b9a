import type { EntityManager } from 'typeorm';
import { AppError } from '../kernel/app-error.js';
import { readFreezeReasons } from './freeze-reasons.js';
import type { FreezeReason } from './ledger-types.js';
import { LedgerAccountEntity } from './tables/ledger-account.entity.js';

const freezeWords: Readonly<Record<FreezeReason, string>> = {
  dispute: 'your bank disputes one of your payments to us. Credits can be bought again as soon as that is over.',
  audit: 'its balance did not add up when we checked it. We have been told and look into it.',
  operator: 'it was frozen by the operator of this server. Please ask them.',
};

/**
 * Refuses to begin a purchase whose credits could not be used. Buying ends no freeze, and opens no closed wallet; it repays a debt, which
 * freezes none. A freeze that comes later stops no purchase that was begun.
 * @throws AppError `conflict`, which says why.
 */
export async function requireOpenWallet(reader: EntityManager, accountId: string): Promise<void> {
  const wallet = await reader.findOneBy(LedgerAccountEntity, { id: accountId });
  if (wallet === null || wallet.state === 'open') return;
  if (wallet.state !== 'frozen')
    throw new AppError('conflict', 'This account is closed. No credits can be bought for it.');
  const [reason] = readFreezeReasons(wallet.frozenFor);
  const why = freezeWords[reason ?? 'operator'];
  throw new AppError('conflict', `No credits can be bought while this account can make no calls: ${why}`);
}
