import { eventKeptMs, eventsPerAccountMax } from '../../audit/note-event.js';
import type { Config } from '../../config/config.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { answersKeptMs } from '../../idempotency/claim-rows.js';
import type { Clock } from '../../kernel/clock.js';
import { networksKeptDays } from '../../keys/key-networks.js';
import { findOldestReceiptMs } from '../../ledger/receipts/find-oldest-receipt.js';
import { ReceiptRetention } from '../../ledger/receipts/receipt-retention.js';
import { noticesKeptMs } from '../../notices/old-notices.js';
import type { OperatorLog } from '../../operator/operator-log.js';
import { type KeptData, RetentionDesk } from '../../operator/service/retention-desk.js';
import { refusalsKeptMax, refusalsKeptMs } from '../../usage/requests/refusal-log.js';

const dayMs = 24 * 60 * 60_000;

/** What operators see and choose of how long data is kept. */
export function openRetentionDesk(
  { unitOfWork, clock }: { readonly unitOfWork: UnitOfWork; readonly clock: Clock },
  {
    retentionDays,
    retentionFolder,
    responseItemsMs,
  }: Pick<Config, 'retentionDays' | 'retentionFolder' | 'responseItemsMs'>,
  log: OperatorLog,
): RetentionDesk {
  return new RetentionDesk({
    log,
    retention: new ReceiptRetention(unitOfWork, clock, retentionDays),
    findOldestReceiptMs: () => findOldestReceiptMs(unitOfWork.reader),
    isExported: retentionFolder !== null,
    others: listKept(responseItemsMs),
  });
}

/** Everything else that is stored of accounts, with the time that its owner keeps it. */
function listKept(responseItemsMs: number): readonly KeptData[] {
  const minutes = responseItemsMs / 60_000;
  return [
    {
      what: 'Answers for a retry',
      days: answersKeptMs / dayMs,
      words: 'Only of calls with an Idempotency-Key, and of callers who left before the end.',
    },
    {
      what: 'Items of Responses that clients refer to',
      days: 0,
      words:
        minutes === 0
          ? 'Not kept (RESPONSE_ITEMS_MINUTES=0).'
          : `${minutes} minutes in memory or in Redis, sealed with the caller’s key (RESPONSE_ITEMS_MINUTES).`,
    },
    {
      what: 'Prompts and conversations that members saved',
      days: null,
      words: 'Until they delete them, or their account goes.',
    },
    {
      what: 'Refused requests',
      days: refusalsKeptMs / dayMs,
      words: `Cause, key, model and time, without bodies; the newest ${refusalsKeptMax} of each account.`,
    },
    {
      what: 'Networks that keys were used from',
      days: networksKeptDays,
      words: 'By key and day, a /24 of IPv4 or a /56 of IPv6.',
    },
    {
      what: 'Sign-ins and changes of accounts',
      days: eventKeptMs / dayMs,
      words: `Who, what, and from which network; the newest ${eventsPerAccountMax.toLocaleString('en')} of each account.`,
    },
    {
      what: 'Mails and deliveries to webhooks',
      days: noticesKeptMs / dayMs,
      words: 'One that was given up stays until an operator has it sent again; all go with their account.',
    },
    {
      what: 'Journal, purchases, sums of use, log of operators',
      days: null,
      words: 'The books: balances are proven by them.',
    },
  ];
}
