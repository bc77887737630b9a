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
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) accountId!: string;
  @Column(wordColumn) direction!: CreditDirection;
  @Column(millicreditsColumn) amountMillicredits!: number;
  @Column(nameColumn) reason!: string;
  @Column(idColumn) askedBy!: string;
  @Column(instantColumn) askedAtMs!: number;
  @Column(wordColumn) state!: CreditRequestState;
  @Column({ ...idColumn, nullable: true }) decidedBy!: string | null;
  @Column({ ...instantColumn, nullable: true }) decidedAtMs!: number | null;
}
