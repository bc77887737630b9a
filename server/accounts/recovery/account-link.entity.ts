import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn, wordColumn } from '../../database/columns.js';
import { AccountEntity } from '../account.entity.js';

/** What the holder of a mailed link may do, once. */
export type LinkPurpose = 'reset_password' | 'confirm_email' | 'undo_email';

/** A link that was asked for, or caused. Its token is not stored, only the hash of it. */
@Entity('account_link')
@Index('ux_account_link_token', ['tokenHash'], { unique: true })
@Index('ix_account_link_account', ['accountId', 'purpose'])
@Index('ix_account_link_email', ['emailNormalised', 'purpose'])
@Index('ix_account_link_created', ['createdAtMs'])
export class AccountLinkEntity {
  @PrimaryColumn(idColumn) id!: string;

  /** null: of a reset that was asked for, until its mail is about to leave; nobody has looked yet whether there is one. */
  @Column({ ...idColumn, nullable: true }) accountId!: string | null;

  @Column(wordColumn) purpose!: LinkPurpose;

  /** The address that a reset was asked for, that is to be, or that was. */
  @Column(nameColumn) email!: string;

  @Column(nameColumn) emailNormalised!: string;

  /** Of the token in the link, which is made when the mail is sent; null: not sent yet, or used. */
  @Column({ ...hashColumn, nullable: true }) tokenHash!: string | null;

  /** When it was asked for; of one to undo a change, when the change was. */
  @Column(instantColumn) createdAtMs!: number;

  @Column({ ...instantColumn, nullable: true }) expiresAtMs!: number | null;

  @ManyToOne(() => AccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_account_link_account_id' })
  account?: AccountEntity;
}
