import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, nameColumn, textColumn, wordColumn } from '../../database/columns.js';
import type { RiskMarkKind } from './risk-mark-kinds.js';

/** A mark that an operator has set on an account. It stays when it is cleared, and goes with the account. */
@Entity('account_risk_mark')
@Index('ux_account_risk_mark_living', ['accountId', 'livingKind'], { unique: true })
@Index('ix_account_risk_mark_account', ['accountId', 'id'])
@Index('ix_account_risk_mark_kind', ['livingKind', 'id'])
export class AccountRiskMarkEntity {
  @PrimaryColumn(idColumn)
  id!: string;

  @Column({ ...idColumn, name: 'account_id' })
  accountId!: string;

  @Column(wordColumn)
  kind!: RiskMarkKind;

  /** The kind until it is cleared, then null: so an account has one of a kind, and as many cleared ones as there were. */
  @Column({ ...wordColumn, name: 'living_kind', nullable: true })
  livingKind!: RiskMarkKind | null;

  @Column(textColumn)
  note!: string;

  /** null: until somebody clears it. */
  @Column({ ...instantColumn, name: 'ends_at_ms', nullable: true })
  endsAtMs!: number | null;

  /** As the operators' log names them. */
  @Column({ ...nameColumn, name: 'set_by' })
  setBy!: string;

  @Column({ ...instantColumn, name: 'set_at_ms' })
  setAtMs!: number;

  /** null: nobody has. */
  @Column({ ...nameColumn, name: 'cleared_by', nullable: true })
  clearedBy!: string | null;

  @Column({ ...instantColumn, name: 'cleared_at_ms', nullable: true })
  clearedAtMs!: number | null;

  @Column({ ...nameColumn, name: 'cleared_reason', nullable: true })
  clearedReason!: string | null;
}
