import type { EntityManager } from 'typeorm';
import type { SecretBox } from '../../factors/secret-box.js';
import { findMadeChange, noteMadeChange } from '../../idempotency/idempotent-changes.js';
import { packAnswer, unpackAnswer } from '../../idempotency/packed-answer.js';
import { AppError, AskedOtherwiseError } from '../../kernel/app-error.js';
import { formatCredits, type Millicredits } from '../../kernel/millicredits.js';
import type { MadeGiftCode } from './gift-desk.js';

/** What one operator asks for by a word, so that it is made once. */
export interface GiftOrder {
  readonly operatorId: string;
  /** At most 60 printable ASCII characters. */
  readonly once: string;
  readonly wanted: {
    readonly creditsMillicredits: Millicredits;
    readonly count: number;
    readonly expiresAtMs: number | null;
    readonly reason: string;
  };
  readonly nowMs: number;
}

interface Noted {
  readonly wanted: GiftOrder['wanted'];
  readonly codes: readonly MadeGiftCode[];
}

/** Codes that were made, for the operator who asks for the same again because the answer was lost: sealed, for 24 hours. */
export class MadeGiftCodes {
  constructor(private readonly secretBox: Pick<SecretBox, 'seal' | 'open'>) {}

  /**
   * What the same word of the same operator has made, in the transaction that would make it now and that holds the operator's row.
   * @returns null: it is the first.
   * @throws AppError `conflict` naming `once` where the word came with something else, or no key opens what was sealed.
   */
  async find(transaction: EntityManager, order: GiftOrder): Promise<readonly MadeGiftCode[] | null> {
    const made = await findMadeChange(transaction, toKeyedChange(order));
    if (made === null) return null;
    const opened = made.note === null ? null : await this.secretBox.open(made.note, purposeOf(order));
    if (opened === null) {
      const words = `This was done before: ${made.subjectId} and what was made with it cannot be shown again. Revoke it, and make new codes.`;
      throw new AppError('conflict', words, { param: 'once' });
    }
    const { wanted, codes } = JSON.parse(unpackAnswer(opened)) as Noted;
    if (JSON.stringify(wanted) === JSON.stringify(toWanted(order))) return codes;
    const { count, creditsMillicredits, reason } = wanted;
    throw new AskedOtherwiseError(`${count} gift code(s) of ${formatCredits(creditsMillicredits)} credits`, reason);
  }

  /** Notes what is made, in the transaction that makes it. @throws AppError `conflict` where no key seals (`SECRETS_KEY`). */
  async note(transaction: EntityManager, order: GiftOrder, codes: readonly MadeGiftCode[]): Promise<void> {
    // A thousand codes fit into the column packed alone.
    const packed = packAnswer(JSON.stringify({ wanted: toWanted(order), codes } satisfies Noted));
    const note = packed === null ? null : await this.secretBox.seal(packed, purposeOf(order));
    await noteMadeChange(transaction, toKeyedChange(order), { subjectId: codes[0]?.id ?? '', note });
  }
}

function toKeyedChange({ operatorId, once, nowMs }: GiftOrder) {
  return { accountId: operatorId, key: `gift codes ${once}`, input: 'createGiftCodes', nowMs };
}

// In one order of fields, by which two are compared.
function toWanted({ wanted: { creditsMillicredits, count, expiresAtMs, reason } }: GiftOrder): GiftOrder['wanted'] {
  return { creditsMillicredits, count, expiresAtMs, reason };
}

function purposeOf({ operatorId, once }: GiftOrder): string {
  return `gift codes of ${operatorId}, asked for as ${once}`;
}
