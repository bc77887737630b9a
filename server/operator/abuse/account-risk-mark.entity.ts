import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, nameColumn, textColumn, wordColumn } from '../../database/columns.js';
import type { RiskMarkKind } from './risk-mark-kinds.js';

/** A mark that an operator has set on an account. It stays when it is cleared, and goes with the account. */
@Entity('account_risk_mark')
@Index('ux_account_risk_mark_living', ['accountId', 'livingKind'], { unique: true })
@Index('ix_account_risk_mark_account', ['accountId', 'id'])
@Index('ix_account_risk_mark_kind', ['livingKind', 'id'])
export class AccountRiskMarkEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) accountId!: string;
  @Column(wordColumn) kind!: RiskMarkKind;

  /** The kind until it is cleared, then null: so an account has one of a kind, and as many cleared ones as there were. */
  @Column({ ...wordColumn, nullable: true }) livingKind!: RiskMarkKind | null;

  @Column(textColumn) note!: string;

  /** null: until somebody clears it. */
  @Column({ ...instantColumn, nullable: true }) endsAtMs!: number | null;

  /** As the operators' log names them. */
  @Column(nameColumn) setBy!: string;

  @Column(instantColumn) setAtMs!: number;

  /** null: nobody has. */
  @Column({ ...nameColumn, nullable: true }) clearedBy!: string | null;

  @Column({ ...instantColumn, nullable: true }) clearedAtMs!: number | null;
  @Column({ ...nameColumn, nullable: true }) clearedReason!: string | null;
}
