import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, millicreditsColumn, nameColumn, wordColumn } from '../../database/columns.js';

/** Which way credits go. */
export type CreditDirection = 'grant' | 'take_back';

/** `alone`: it needs nobody else, and counts in what the operator may move alone in a day. */
export type CreditRequestState = 'alone' | 'waiting' | 'approved' | 'refused';

/** Credits that one operator wants to move and another one has to agree to. The row's id is what the ledger knows the move by. */
@Entity('credit_request')
@Index('ix_credit_request_state', ['state', 'id'])
@Index('ix_credit_request_asked', ['askedBy', 'askedAtMs'])
export class CreditRequestEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column(wordColumn)
  direction!: CreditDirection;

  @Column({ ...millicreditsColumn, name: 'amount_millicredits' })
  amountMillicredits!: number;

  @Column(nameColumn)
  reason!: string;

  @Column({ ...idColumn, name: 'asked_by' })
  askedBy!: string;

  @Column({ ...instantColumn, name: 'asked_at_ms' })
  askedAtMs!: number;

  @Column(wordColumn)
  state!: CreditRequestState;

  @Column({ ...idColumn, name: 'decided_by', nullable: true })
  decidedBy!: string | null;

  @Column({ ...instantColumn, name: 'decided_at_ms', nullable: true })
  decidedAtMs!: number | null;
}
