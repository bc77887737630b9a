import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, millicreditsColumn, wordColumn } from '../database/columns.js';

/** Credits that the operator gives to whoever claims the code first. */
@Entity('gift_code')
@Check('ck_gift_code_credits', 'credits_millicredits > 0')
@Index('ux_gift_code_hash', ['codeHash'], { unique: true })
@Index('ix_gift_code_claimed_by', ['claimedBy'])
export class GiftCodeEntity {
  @PrimaryColumn(idColumn) id!: string;

  /** The code itself is shown once, when it is made. */
  @Column(hashColumn) codeHash!: string;

  /** Its last four characters, to tell codes apart. */
  @Column(wordColumn) hint!: string;

  @Column(millicreditsColumn) creditsMillicredits!: number;
  @Column({ ...instantColumn, nullable: true }) expiresAtMs!: number | null;
  @Column({ ...instantColumn, nullable: true }) revokedAtMs!: number | null;

  /** The account that has it; set in the transaction that grants the credits. */
  @Column({ ...idColumn, nullable: true }) claimedBy!: string | null;

  @Column({ ...instantColumn, nullable: true }) claimedAtMs!: number | null;
  @Column(instantColumn) createdAtMs!: number;
}
