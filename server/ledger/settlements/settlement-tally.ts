/**
 * What became of the answers that this process has given since its start. Each is somewhere, or the ledger has lost one: the
 * auditor compares.
 */
export class SettlementTally {
  /** Calls that came to be settled. */
  answered = 0;
  booked = 0;
  /** Booked after they had been kept on the disk, or found there. */
  bookedLater = 0;
  /** Refused by the ledger's decision, at once or later. */
  quarantined = 0;
  /** Neither booked nor kept: their answers ended with an error, and are not charged. */
  unwritten = 0;

  /**
   * How many settlements are nowhere.
   * @param here What others had left on the disk, what stands there now, and what is being settled right now.
   */
  countMissing(here: { readonly found: number; readonly kept: number; readonly underWay: number }): number {
    const ended = this.booked + this.bookedLater + this.quarantined + this.unwritten;
    return this.answered + here.found - ended - here.kept - here.underWay;
  }
}
