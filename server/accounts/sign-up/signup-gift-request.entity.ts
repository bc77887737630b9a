import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, millicreditsColumn, nameColumn } from '../../database/columns.js';
import { AccountEntity } from '../account.entity.js';

/** A new account that has neither got its credits for signing up nor been refused them; the row goes with either. */
@Entity('signup_gift_request')
export class SignupGiftRequestEntity {
  @PrimaryColumn(idColumn) accountId!: string;
  @Column(hashColumn) mailboxHash!: string;

  /** The network that it came from, as `signup-gift.ts` draws its bounds. */
  @Column(nameColumn) network!: string;

  /** What it was to be given when it was asked for. */
  @Column(millicreditsColumn) millicredits!: number;

  @Column(instantColumn) askedAtMs!: number;

  @ManyToOne(() => AccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_signup_gift_request_account_id' })
  account?: AccountEntity;
}
