import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, integerColumn } from '../database/columns.js';

/** A network that a key was used from on a day, of keys that came from more than one. */
@Entity('key_network')
@Index('ix_key_network_number', ['day', 'number'])
@Index('ix_key_network_account', ['accountId'])
export class KeyNetworkEntity {
  /** Days since 1970-01-01, in UTC. */
  @PrimaryColumn(integerColumn) day!: number;

  @PrimaryColumn(idColumn) keyId!: string;

  /** A /24 of IPv4, a /56 of IPv6. */
  @PrimaryColumn(idColumn) network!: string;

  /** The how manieth of its key and day it is, as it was written; two servers that write at once may give the same one. */
  @Column(integerColumn) number!: number;

  @Column(idColumn) accountId!: string;
}
