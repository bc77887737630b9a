import type { SignUpBlock, SignUpBlocks } from '../../accounts/sign-up/sign-up-blocks.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

export interface AbuseDeskParts {
  readonly log: OperatorLog;
  readonly blocks: Pick<SignUpBlocks, 'add' | 'remove' | 'list'>;
}

// The widths of the log's columns.
const subjectLengthMax = 40;
const reasonLengthMax = 191;

/** Who may not sign up. Each change stands in the log, in its transaction. */
export class AbuseDesk {
  constructor(private readonly parts: AbuseDeskParts) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): AbuseDesk {
    return new AbuseDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  /** The newest first. */
  listBlocks(): Promise<readonly SignUpBlock[]> {
    return this.parts.blocks.list();
  }

  /** Lets nobody sign up from a network or with a mail domain. @throws as `SignUpBlocks.add`; InvalidInputError for the reason. */
  async block(value: string, reason: string): Promise<SignUpBlock> {
    const words = requireReason(reason);
    const { blocks, log } = this.parts;
    return blocks.add({ value, reason: words, createdBy: log.actor }, (transaction, kept) =>
      log.write(transaction, { action: 'block_sign_up', ...describe(kept, words) }),
    );
  }

  /** Takes that back. @throws as `SignUpBlocks.remove`; InvalidInputError for the reason. */
  async unblock(value: string, reason: string): Promise<void> {
    const words = requireReason(reason);
    const { blocks, log } = this.parts;
    await blocks.remove(value, (transaction) =>
      log.write(transaction, { action: 'unblock_sign_up', ...describe(value, words) }),
    );
  }
}

// A long domain does not fit where the log says what it was about; then the reason names it.
function describe(value: string, reason: string): { subject: string; reason: string } {
  if (value.length <= subjectLengthMax) return { subject: value, reason };
  return { subject: value.slice(0, subjectLengthMax), reason: `${value}: ${reason}`.slice(0, reasonLengthMax) };
}
