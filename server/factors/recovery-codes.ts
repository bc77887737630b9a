import { createHash, randomBytes } from 'node:crypto';
import { type EntityManager, IsNull } from 'typeorm';
import { holdAccountRow } from '../database/hold-account-row.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { RecoveryCodeEntity } from './recovery-code.entity.js';

const codesPerAccount = 10;
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const lettersPerCode = 16;

/** The recovery codes of each account: 80 random bits each, kept as hashes, each good once. */
export class RecoveryCodes {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** How many are left. */
  countLeft(accountId: string): Promise<number> {
    return this.unitOfWork.reader.countBy(RecoveryCodeEntity, { accountId, usedAtMs: IsNull() });
  }

  /**
   * Whether this is an unused code of the account. It is used from then on, and of several at once by one alone.
   * @param also Written in the same transaction.
   */
  async takeCode(
    accountId: string,
    code: string,
    also: (transaction: EntityManager) => Promise<void>,
  ): Promise<boolean> {
    const unused = { accountId, codeHash: hashCode(code), usedAtMs: IsNull() };
    const usedAtMs = this.clock.nowMs();
    return this.unitOfWork.transact(async (transaction) => {
      const { affected } = await transaction.update(RecoveryCodeEntity, unused, { usedAtMs });
      if (affected === 1) await also(transaction);
      return affected === 1;
    });
  }
}

/** Ten new codes, such as `ABCD-EFGH-IJKL-MN23`. */
export function createRecoveryCodes(): readonly string[] {
  return Array.from({ length: codesPerAccount }, () => {
    const code = Array.from(randomBytes(lettersPerCode), (byte) => letters[byte % letters.length]).join('');
    return code.replace(/(.{4})(?=.)/g, '$1-');
  });
}

/** Which codes an account has, used or not: another text once they were replaced. */
export async function findCodeSet(reader: EntityManager, accountId: string): Promise<string> {
  const rows = await reader.find(RecoveryCodeEntity, { select: { codeHash: true }, where: { accountId } });
  return rows
    .map(({ codeHash }) => codeHash)
    .sort()
    .join(' ');
}

/**
 * As `replaceRecoveryCodes`, for whoever is shown the codes: of several who ask at once one is, and no set that is shown is dead by then.
 * @param seen What `findCodeSet` told when they asked.
 * @throws AppError `conflict` when the codes were replaced since.
 */
export async function replaceSeenCodes(
  transaction: EntityManager,
  { accountId, seen, codes }: { readonly accountId: string; readonly seen: string; readonly codes: readonly string[] },
): Promise<void> {
  await holdAccountRow(transaction, accountId);
  if ((await findCodeSet(transaction, accountId)) !== seen) {
    const words =
      'Recovery codes were made or removed by another request at the same moment. Nothing was changed by this one. If you were not shown new codes, try again.';
    throw new AppError('conflict', words);
  }
  await replaceRecoveryCodes(transaction, accountId, codes);
}

/** Puts codes in the place of all that the account had, in the caller's transaction; of none, there are none any more. */
export async function replaceRecoveryCodes(
  transaction: EntityManager,
  accountId: string,
  codes: readonly string[],
): Promise<void> {
  await transaction.delete(RecoveryCodeEntity, { accountId });
  const rows = codes.map((code) => ({ accountId, codeHash: hashCode(readTypedCode(code)), usedAtMs: null }));
  if (rows.length > 0) await transaction.insert(RecoveryCodeEntity, rows);
}

/** Whether an account was given codes, used or not, in the caller's transaction. */
export function hasRecoveryCodes(transaction: EntityManager, accountId: string): Promise<boolean> {
  return transaction.existsBy(RecoveryCodeEntity, { accountId });
}

/** A code as it is compared: without the spaces and dashes that people type. */
export function readTypedCode(text: string): string {
  return text.replace(/[\s-]/g, '').toUpperCase();
}

export function hasFormOfRecoveryCode(code: string): boolean {
  return code.length === lettersPerCode && /^[A-Z2-7]+$/.test(code);
}

function hashCode(code: string): string {
  return createHash('sha256').update(`recovery code ${code}`).digest('hex');
}
