import { findAccountFacts } from '../../accounts/find-accounts.js';
import type { Config } from '../../config/config.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { openMemoryCounter } from '../../kernel/attempt-counter.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import { openNotices } from '../../notices/open-notices.js';
import { PaymentDesk } from '../../operator/money/payment-desk.js';
import { RefundDesk } from '../../operator/money/refund-desk.js';
import type { OperatorLog } from '../../operator/operator-log.js';
import { listQuarantinedEvents } from '../../purchases/quarantined-events.js';
import { openPurchases, type PurchasesParts } from '../open-purchases.js';

interface ProgramParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: PurchasesParts['ledger'];
  readonly clock: Clock;
  readonly readTime: PurchasesParts['readTime'];
  readonly logger: Logger;
}

/** Purchases for an operator's program. What has to be told goes into the outbox, which a running server sends. */
export function openProgramPurchases(parts: ProgramParts, config: Config) {
  const { outbox } = openNotices(parts, config);
  const findEmail = async (accountId: string): Promise<string | null> => {
    const account = await findAccountFacts(parts.unitOfWork.reader, accountId);
    return account && account.emailVerifiedAtMs !== null ? account.email : null;
  };
  return openPurchases({ ...parts, openCounter: openMemoryCounter, outbox, findEmail }, config);
}

/** What the command line changes about payments; each change stands in this log. Made when a command asks for it. */
export function openPaymentDesks(parts: ProgramParts, config: Config, log: OperatorLog) {
  const { refunds: orders, notices, reconciler } = openProgramPurchases(parts, config);
  const { unitOfWork } = parts;
  return {
    refunds: new RefundDesk({ orders, log, unitOfWork, aloneMaxMillicredits: config.operatorAloneMillicredits }),
    payments: new PaymentDesk({ log, notices, reconciler }),
    listSetAside: (first: number) => listQuarantinedEvents(unitOfWork.reader, first),
  };
}
