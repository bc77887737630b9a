import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn } from '../../database/columns.js';
import { AccountEntity } from '../account.entity.js';

/** A browser from which an account's owner has signed in. Its token is not stored, only the hash of it. */
@Entity('known_device')
export class KnownDeviceEntity {
  @PrimaryColumn(idColumn) accountId!: string;
  @PrimaryColumn(hashColumn) tokenHash!: string;
  @Column(instantColumn) createdAtMs!: number;
  @Column(instantColumn) lastUsedAtMs!: number;

  @ManyToOne(() => AccountEntity, { onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_known_device_account_id' })
  account?: AccountEntity;
}
