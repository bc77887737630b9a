import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, millicreditsColumn, nameColumn, wordColumn } from '../database/columns.js';

/** What an operator can do to an account. */
export type OperatorAction = 'grant' | 'take_back' | 'freeze' | 'open' | 'revoke_key';

/** One change that an operator has made by hand. Written once; nothing of ours changes or deletes a row. */
@Entity('operator_event')
@Index('ix_operator_event_account', ['accountId', 'id'])
export class OperatorEventEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  @Column({ ...instantColumn, name: 'at_ms' })
  atMs!: number;

  /** Who it was, as far as this machine knows: the user of the system and the machine. */
  @Column(nameColumn)
  actor!: string;

  @Column(wordColumn)
  action!: OperatorAction;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  /** The key that was revoked; null: it was about the account. */
  @Column({ ...idColumn, nullable: true })
  subject!: string | null;

  @Column({ ...millicreditsColumn, name: 'amount_millicredits', nullable: true })
  amountMillicredits!: number | null;

  @Column(nameColumn)
  reason!: string;
}
