import { type OperatorLog, requireReason } from '../operator-log.js';
import type { NewRiskMark, RiskMarkPage, RiskMarks, StandingRiskMark } from './risk-marks.js';

export interface RiskMarkDeskParts {
  readonly log: OperatorLog;
  readonly marks: Pick<RiskMarks, 'set' | 'clear' | 'listOf' | 'list'>;
}

const reasonLengthMax = 191;

/** Marks that operators set on accounts. Each change stands in the log, in its transaction. */
export class RiskMarkDesk {
  constructor(private readonly parts: RiskMarkDeskParts) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): RiskMarkDesk {
    return new RiskMarkDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  /** All of an account, cleared and ended ones too, the newest first; at most 50. */
  listOf(accountId: string): Promise<readonly StandingRiskMark[]> {
    return this.parts.marks.listOf(accountId);
  }

  /** Those that hold, the newest first. @throws as `RiskMarks.list`. */
  list(page: RiskMarkPage): Promise<readonly StandingRiskMark[]> {
    return this.parts.marks.list(page);
  }

  /** @throws as `RiskMarks.set`. */
  async set(wanted: Omit<NewRiskMark, 'setBy'>): Promise<StandingRiskMark> {
    const { log, marks } = this.parts;
    return marks.set({ ...wanted, setBy: log.actor }, (transaction, { accountId, id, kind, note }) => {
      const reason = `${kind}: ${note}`.slice(0, reasonLengthMax).trimEnd();
      return log.write(transaction, { action: 'set_risk_mark', accountId, subject: id, reason });
    });
  }

  /** Clears one that holds; its row stays. @throws as `RiskMarks.clear`; InvalidInputError for the reason. */
  async clear(id: string, reason: string): Promise<void> {
    const words = requireReason(reason);
    const { log, marks } = this.parts;
    await marks.clear(id, { clearedBy: log.actor, reason: words }, (transaction, { accountId, kind }) => {
      const logged = `${kind}: ${words}`.slice(0, reasonLengthMax);
      return log.write(transaction, { action: 'clear_risk_mark', accountId, subject: id, reason: logged });
    });
  }
}
