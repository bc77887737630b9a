import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { hashColumn, idColumn, instantColumn, nameColumn, wordColumn } from '../../database/columns.js';

/** Somebody at another provider who may sign in to an account. */
@Entity('linked_identity')
@Index('ux_linked_identity', ['identityHash'], { unique: true })
@Index('ix_linked_identity_account', ['accountId'])
export class LinkedIdentityEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) accountId!: string;

  /** What the settings call the provider. */
  @Column(wordColumn) provider!: string;

  /** Of the issuer and of who it is there, which never changes; addresses and names may. */
  @Column(hashColumn) identityHash!: string;

  /** What its owner knows it by: an address or a name at the provider. */
  @Column(nameColumn) label!: string;

  @Column(instantColumn) createdAtMs!: number;
  @Column({ ...instantColumn, nullable: true }) lastUsedAtMs!: number | null;
}
