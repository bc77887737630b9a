/** Less is set right little by little, or is how long an answer was on its way. */
const stepMsMin = 2_000;

/** A look at a clock of another machine. */
export interface ClockLook {
  /** When it was asked and when its answer was there, by a clock of this process that nobody sets. Milliseconds since some moment. */
  readonly askedMs: number;
  readonly answeredMs: number;
  /** What it said. Milliseconds since 1970. */
  readonly saidMs: number;
}

/** Tells when a clock that several processes go by was set, or another one took its place: it has come further, or less far, than the time that this process has counted. */
export class ClockSteps {
  #before: ClockLook | null = null;

  /** @returns whether it was set by more than two seconds since the look before; false for the first one. */
  note(look: ClockLook): boolean {
    const before = this.#before;
    this.#before = look;
    if (before === null) return false;
    const cameMs = look.saidMs - before.saidMs;
    // Each moment lies somewhere between the question and its answer.
    const passedMsMin = look.askedMs - before.answeredMs;
    const passedMsMax = look.answeredMs - before.askedMs;
    return cameMs > passedMsMax + stepMsMin || cameMs < passedMsMin - stepMsMin;
  }
}
