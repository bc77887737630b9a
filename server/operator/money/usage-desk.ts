import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError } from '../../kernel/app-error.js';
import { type AccountMend, UsageMender } from '../../ledger/checks/mend-usage.js';
import { findWrongTotalsMs, listFaultsOfReceipts } from '../../ledger/checks/receipts-stand.js';
import type { LedgerReport } from '../../ledger/checks/verify-ledger.js';
import { findWrongJournalMs, takeBackJournalHours } from '../../ledger/journal/mend-journal.js';
import { hasWallet, listWallets } from '../../ledger/list-wallets.js';
import { takeBackTotals } from '../../totals/take-back-totals.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

export interface UsageDeskParts {
  readonly unitOfWork: UnitOfWork;
  readonly log: OperatorLog;
  /** The time by which the ledger writes its rows. */
  readonly findNowMs: () => Promise<number>;
  /** Proves everything in the books. */
  readonly verify: () => Promise<LedgerReport>;
  readonly mender?: Pick<ConstructorParameters<typeof UsageMender>[0], 'rowsAtOnce' | 'restPerStep'>;
}

export interface MendWish {
  /** null: all of them. */
  readonly accountId: string | null;
  /** Why; null: to look, and change nothing. */
  readonly reason: string | null;
  /** Told of each account that has something wrong, as it is looked at. */
  readonly onAccount: (account: AccountMend) => void;
}

export interface MendResult {
  readonly accounts: number;
  /** Accounts of which something is left as it was. */
  readonly left: number;
  /** From when on the sums of all accounts and of their months are, or were, made anew by the next look of a server; null: they are right. */
  readonly totalsFromMs: number | null;
  /** The same of the sums of the journal by hours. */
  readonly journalFromMs: number | null;
}

const accountsAtOnce = 500;

/** Mends what is summed of receipts, where it is wrong and the receipts stand. Each change is in the operators' log. */
export class UsageDesk {
  constructor(private readonly parts: UsageDeskParts) {}

  /**
   * Looks at the use of accounts, and mends it where there is a reason given. It reads every receipt of these accounts. The sums over all
   * accounts, and those of the journal, are looked at whichever account is meant; where they are wrong they are taken back, and a server makes them anew.
   * @throws AppError `conflict` while anything is broken that receipts may be at fault in, naming it, before anything is changed;
   *   AppError `not_found` for an account that has no wallet; InvalidInputError for the reason; the database's error, and what was mended by then stays so.
   */
  async mend({ accountId, reason, onAccount }: MendWish): Promise<MendResult> {
    const words = reason === null ? null : requireReason(reason);
    const before = await this.parts.verify();
    requireReceipts(before);
    const mender = this.#open(words);
    let [accounts, left] = [0, 0];
    for await (const id of this.#listAccounts(accountId)) {
      const nowMs = await this.parts.findNowMs();
      const account = await (words === null ? mender.look(id, nowMs) : mender.mend(id, nowMs));
      if (account.left !== null) left += 1;
      if (account.left === null && account.hours + account.counters === 0) continue;
      accounts += 1;
      onAccount(account);
    }
    const totalsFromMs = words === null ? findWrongTotalsMs(before) : await this.#mendTotals(words);
    return { accounts, left, totalsFromMs, journalFromMs: await this.#mendJournal(words) };
  }

  #open(reason: string | null): UsageMender {
    const { unitOfWork, log, mender } = this.parts;
    return new UsageMender({
      ...{ unitOfWork, ...mender },
      note: async (transaction, { accountId, chargedMillicredits }) => {
        if (reason === null) throw new Error('Nothing is mended without a reason.');
        await log.write(transaction, { ...action, accountId, amountMillicredits: chargedMillicredits, reason });
      },
    });
  }

  /** What all accounts came to rests on their hours: what was summed before they were wrong, or meanwhile, does not fit all of them. */
  async #mendTotals(reason: string): Promise<number | null> {
    const fromMs = findWrongTotalsMs(await this.parts.verify());
    if (fromMs === null) return null;
    await this.parts.log.note({ ...action, subject: 'totals', reason });
    await takeBackTotals(this.parts.unitOfWork, fromMs);
    return fromMs;
  }

  /** The journal itself was proven before. @param reason null: to look. */
  async #mendJournal(reason: string | null): Promise<number | null> {
    const { unitOfWork, log } = this.parts;
    const fromMs = await findWrongJournalMs(unitOfWork);
    if (fromMs === null || reason === null) return fromMs;
    await unitOfWork.transactForServer(async (transaction) => {
      await log.write(transaction, { ...action, subject: 'journal', reason });
      await takeBackJournalHours(transaction, fromMs);
    });
    return fromMs;
  }

  async *#listAccounts(accountId: string | null): AsyncGenerator<string> {
    const { reader } = this.parts.unitOfWork;
    if (accountId !== null) {
      if (!(await hasWallet(reader, accountId))) throw new AppError('not_found', `There is no account ${accountId}.`);
      yield accountId;
      return;
    }
    for (let after = ''; ; ) {
      const ids = await listWallets(reader, { after, first: accountsAtOnce });
      yield* ids;
      const last = ids.at(-1);
      if (last === undefined || ids.length < accountsAtOnce) return;
      after = last;
    }
  }
}

const action = { action: 'mend_usage' } as const;

function requireReceipts(report: LedgerReport): void {
  const faults = listFaultsOfReceipts(report);
  if (faults.length === 0) return;
  throw new AppError(
    'conflict',
    `Nothing was mended: what the sums would be made of may be wrong itself. Set that right first; npm run ledger:verify shows the rows. Broken: ${faults.join('; ')}.`,
  );
}
