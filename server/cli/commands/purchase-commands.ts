import { formatCredits, toMillicredits } from '../../kernel/millicredits.js';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, type ProgramOptions, UsageError } from '../operator-program.js';

export const purchaseUsage = `  purchase refund <purchase> --reason "…" [--cents 500] [--once WORD] [--json]
                             gives money back at the payment service and takes its credits; without --cents all that is left;
                             a repeated --once for the same purchase gives nothing back twice, and prints the state of that
                             refund; status 2 when it has failed there: another --once tries again
  event list [--json]        events of the payment service that do not fit and were set aside
  event retry <event> [--json]
                             asks the payment service about one again; status 2 when it still does not fit
  event dismiss <event> --reason "…" [--json]
                             closes one and credits nothing`;

type Desks = ReturnType<OperatorServices['openPayments']>;
type Wish = Parameters<Desks['refunds']['refundAlone']>[0];
const listedMax = 200;

/** What an operator does by hand about payments. Every change is in the operator's log. */
export function listPurchaseCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  const withDesks = async (work: (desks: Desks) => Promise<number>) => {
    let status = 0;
    await withServices(async ({ openPayments }) => {
      status = await asWords(work(openPayments()));
    });
    return status;
  };
  return {
    'purchase refund': {
      options: ['reason', 'cents', 'once'],
      flags: ['json'],
      subject: 'the purchase',
      run: (purchaseId, options) => {
        const wish = readWish(purchaseId, options);
        return withDesks(({ refunds }) => refund(refunds, wish, options.json !== undefined));
      },
    },
    'event list': {
      flags: ['json'],
      run: (_, { json }) => withDesks((desks) => listEvents(desks, json !== undefined)),
    },
    'event retry': {
      flags: ['json'],
      subject: 'the event',
      run: (id, { json }) => withDesks(({ payments }) => retry(payments, id, json !== undefined)),
    },
    'event dismiss': {
      options: ['reason'],
      flags: ['json'],
      subject: 'the event',
      run: (id, { reason, json }) => {
        const words = need(reason, '--reason');
        return withDesks(async ({ payments }) => {
          await payments.dismiss(id, words);
          console.log(json === undefined ? `${id} is dismissed; nothing was credited.` : toJson({ id, reason: words }));
          return 0;
        });
      },
    },
  };
}

async function refund(refunds: Desks['refunds'], wish: Wish, isJson: boolean): Promise<number> {
  const { id, purchaseId, cents, amountMillicredits, state, fault } = await refunds.refundAlone(wish);
  const credits = formatCredits(toMillicredits(amountMillicredits));
  if (isJson) console.log(toJson({ id, purchaseId, cents, amountMillicredits, state, fault }));
  else if (state === 'done')
    console.log(`${id}: ${cents} cents of ${purchaseId} were given back, for ${credits} credits.`);
  else if (state === 'pending')
    console.log(
      `${id}: ${cents} cents of ${purchaseId} are on their way, and ${credits} credits were taken. It can still fail; then the credits come back.`,
    );
  else
    console.log(
      `${id}: it has failed at the payment service (${fault}). ${cents} cents were not given back, and no credits are taken for them.`,
    );
  return state === 'done' || state === 'pending' ? 0 : 2;
}

async function listEvents({ listSetAside }: Desks, isJson: boolean): Promise<number> {
  const events = await listSetAside(listedMax);
  if (isJson) console.log(toJson(events));
  for (const { id, type, reason, purchaseId, receivedAtMs } of isJson ? [] : events) {
    console.log(`${id}  ${new Date(receivedAtMs).toISOString()}  ${type}  ${purchaseId ?? '-'}  ${reason ?? ''}`);
  }
  return 0;
}

async function retry(payments: Desks['payments'], id: string, isJson: boolean): Promise<number> {
  const { state, reason } = await payments.tryAgain(id);
  const fits = state !== 'quarantined';
  if (isJson) console.log(toJson({ id, fits, reason }));
  else console.log(fits ? `${id} fits now, and was booked.` : `${id} still does not fit: ${reason}.`);
  return fits ? 0 : 2;
}

// All of it before the database is asked for: a slip of the pen needs none.
function readWish(purchaseId: string, { cents, reason, once }: ProgramOptions): Wish {
  if (cents !== undefined && !/^[1-9]\d{0,8}$/.test(cents)) {
    throw new UsageError('--cents is a whole number of cents of a US dollar such as 500.');
  }
  if (once !== undefined && !/^[\w.:-]{1,40}$/.test(once)) {
    throw new UsageError('--once is a word of at most 40 letters, digits, dots, colons, dashes and underscores.');
  }
  const wish = { purchaseId, reason: need(reason, '--reason') };
  return { ...wish, ...(cents === undefined ? {} : { cents: Number(cents) }), ...(once === undefined ? {} : { once }) };
}

function toJson(facts: object): string {
  return JSON.stringify(facts, null, 2);
}
