import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn } from '../../database/columns.js';
import { AccountEntity } from '../account.entity.js';

/** That an account was given its credits for signing up. One per mailbox, however its address is spelled. */
@Entity('signup_gift')
@Index('ux_signup_gift_mailbox', ['mailboxHash'], { unique: true })
export class SignupGiftEntity {
  @PrimaryColumn(idColumn) accountId!: string;
  @Column(hashColumn) mailboxHash!: string;

  /** The network that it came from, as `signup-gift.ts` draws its bounds. */
  @Column(nameColumn) network!: string;

  @Column(instantColumn) givenAtMs!: number;

  @ManyToOne(() => AccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_signup_gift_account_id' })
  account?: AccountEntity;
}
