import { Column, Entity, PrimaryColumn } from 'typeorm';
import { instantColumn, nameColumn, wordColumn } from '../../database/columns.js';

export type SignUpBlockKind = 'network' | 'domain' | 'everybody' | 'uninvited';

/** A network or a mail domain that nobody signs up from; or that nobody signs up at all, or nobody without an invitation. */
@Entity('sign_up_block')
export class SignUpBlockEntity {
  @PrimaryColumn(wordColumn) kind!: SignUpBlockKind;

  /** As `sign-up-blocks.ts` spells it: `192.0.2.0/24`, `2001:db8:0:0::/56`, `example.com`, `everybody`, `uninvited`. */
  @PrimaryColumn(nameColumn) value!: string;

  @Column(nameColumn) reason!: string;

  /** As the operators' log names them. */
  @Column(nameColumn) createdBy!: string;

  @Column(instantColumn) createdAtMs!: number;
}
