import { holdAccount } from '../../accounts/hold-account.js';
import { NetworkCounter } from '../../audit/network-counts.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Clock } from '../../kernel/clock.js';
import { formatCredits, toMillicredits } from '../../kernel/millicredits.js';
import { WidelyUsedKeys } from '../../keys/widely-used-keys.js';
import { SpendingSpikes } from '../../ledger/spending-spikes.js';
import { findHints, type HintReads } from '../../operator/abuse/account-hints.js';
import type { AbuseReads } from '../../operator/abuse/operator-abuse.graphql.js';
import { RiskMarkDesk } from '../../operator/abuse/risk-mark-desk.js';
import { RiskMarks } from '../../operator/abuse/risk-marks.js';
import type { OperatorLog } from '../../operator/operator-log.js';
import { findDeclinedCards, listDeclinedCards } from '../../top-ups/declined-cards.js';

interface RiskParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
}

/** What may be abuse, of all accounts and of one, and what operators have marked accounts as. Starts nothing. */
export function openRiskDesk(parts: RiskParts, log: OperatorLog) {
  const { unitOfWork, clock } = parts;
  const marks = new RiskMarks(unitOfWork, clock, holdAccount);
  const sources = {
    events: new NetworkCounter(unitOfWork),
    spikes: new SpendingSpikes(unitOfWork, clock),
    widelyUsed: new WidelyUsedKeys(unitOfWork, clock),
  };
  const hintReads: HintReads = {
    nowMs: () => clock.nowMs(),
    findNetwork: (id, kind, sinceMs) => sources.events.findOf(id, kind, sinceMs),
    findDeclinedCards: (id, sinceMs) => findDeclinedCards(unitOfWork, id, sinceMs),
    findSpike: (id) => sources.spikes.findOf(id),
    findWidelyUsedKey: (id, sinceMs) => sources.widelyUsed.findOf(id, sinceMs),
    formatCredits: (amount) => formatCredits(toMillicredits(amount)),
  };
  return {
    riskMarks: new RiskMarkDesk({ log, marks }),
    riskHints: { find: (accountId: string) => findHints(hintReads, accountId) },
    abuseReads: openAbuseReads(parts, marks, sources),
  };
}

interface AbuseSources {
  readonly events: NetworkCounter;
  readonly spikes: SpendingSpikes;
  readonly widelyUsed: WidelyUsedKeys;
}

/** Of accounts that are not trusted, each with what it is marked as. */
function openAbuseReads({ unitOfWork, clock }: RiskParts, marks: RiskMarks, sources: AbuseSources): AbuseReads {
  const { events, spikes, widelyUsed } = sources;
  const withMarks = async <Row extends { readonly accountId: string }>(rows: readonly Row[]) => {
    const kinds = await marks.findKinds(rows.map(({ accountId }) => accountId));
    return rows.map((row) => ({ ...row, marks: kinds.get(row.accountId) ?? [] }));
  };
  return {
    nowMs: () => clock.nowMs(),
    async countByNetwork(kind, sinceMs) {
      const { networks, isSample } = await events.count(kind, sinceMs, await marks.findTrusted());
      const kinds = await marks.findKinds(networks.flatMap(({ accountIds }) => accountIds));
      const marked = networks.map((row) => ({ ...row, markedIds: row.accountIds.filter((id) => kinds.has(id)) }));
      return { networks: marked, isSample };
    },
    listDeclinedCards: async (sinceMs) =>
      withMarks(await listDeclinedCards(unitOfWork, sinceMs, await marks.findTrusted())),
    findSpikes: async () => withMarks(await spikes.find(await marks.findTrusted())),
    findWidelyUsedKeys: async (sinceMs) => withMarks(await widelyUsed.find(sinceMs, await marks.findTrusted())),
    countTrusted: async () => (await marks.findTrusted()).size,
  };
}
