import { createHash, randomBytes } from 'node:crypto';
import { type EntityManager, LessThan } from 'typeorm';
import { hasCome } from '../database/time/has-come.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { PendingProofEntity } from './pending-proof.entity.js';

/** What a proof is for; one that was begun for one thing finishes no other. */
export type ProofKind =
  | 'second step'
  | 'passkey sign-in'
  | 'passkey proof'
  | 'new passkey'
  | 'operator passkey sign-in'
  | 'operator passkey proof'
  | 'new operator passkey'
  | 'provider asked'
  | 'provider answered';

/** Who may finish a proof: whoever has the token of a cookie, or a session. */
export interface ProofHolder {
  readonly kind: ProofKind;
  /** A token of 256 random bits, or the id of a session. */
  readonly holder: string;
}

/** The first half of a proof. */
export interface PendingProof {
  readonly accountId: string | null;
  readonly payload: string;
}

const pendingProofLifetimeMs = 10 * 60_000;

/**
 * Proofs between their halves: a sign-in whose password was right, a challenge that a passkey is to sign. Each is bound to the
 * browser or session that began it, good for ten minutes and finished once.
 */
export class PendingProofs {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Begins one; an earlier one of the same kind and holder is worth nothing from then on. */
  async begin(of: ProofHolder, proof: PendingProof): Promise<void> {
    const nowMs = this.clock.nowMs();
    const row = { holderHash: hashOf(of), ...proof, expiresAtMs: nowMs + pendingProofLifetimeMs };
    await this.unitOfWork.transact(async (transaction) => {
      await transaction.delete(PendingProofEntity, { expiresAtMs: LessThan(nowMs) });
      await transaction.upsert(PendingProofEntity, row, ['holderHash']);
    });
  }

  /** Looks at one without finishing it; null: there is none, or its time is over. */
  async find(of: ProofHolder): Promise<PendingProof | null> {
    return this.#findRow(this.unitOfWork.reader, of);
  }

  /** Finishes one: of several at once only one gets it. @returns null for the others, and when there is none any more. */
  async take(of: ProofHolder): Promise<PendingProof | null> {
    return this.unitOfWork.transact(async (transaction) => {
      const row = await this.#findRow(transaction, of);
      if (row === null) return null;
      const { holderHash, payload, expiresAtMs } = row;
      const { affected } = await transaction.delete(PendingProofEntity, { holderHash, payload, expiresAtMs });
      return affected === 1 ? row : null;
    });
  }

  async #findRow(reader: EntityManager, of: ProofHolder): Promise<PendingProofEntity | null> {
    const row = await reader.findOneBy(PendingProofEntity, { holderHash: hashOf(of) });
    // One that lies further ahead was begun before the clock was set back.
    return row && !hasCome(row.expiresAtMs, this.clock.nowMs(), pendingProofLifetimeMs) ? row : null;
  }
}

/** A token by which a browser finishes what it began: 256 random bits. */
export function createHolderToken(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf({ kind, holder }: ProofHolder): string {
  return createHash('sha256').update(`${kind} ${holder}`).digest('hex');
}
