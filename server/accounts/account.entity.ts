import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { countColumn, idColumn, instantColumn, nameColumn } from '../database/columns.js';

/** The paying party, who also signs in. Its wallet in the ledger has the same id. */
@Entity('account')
@Index('ux_account_email', ['emailNormalised'], { unique: true })
@Index('ix_account_name', ['name'])
export class AccountEntity {
  @PrimaryColumn(idColumn) id!: string;

  /** As its owner typed it, without spaces around it. */
  @Column(nameColumn) email!: string;

  /** What is compared: two spellings of one address make one account. */
  @Column(nameColumn) emailNormalised!: string;

  @Column(nameColumn) name!: string;

  /** An argon2id hash with its parameters and salt. */
  @Column(nameColumn) passwordHash!: string;

  /** Counts the attempts to create a key. Raising it first locks the row, so that two attempts cannot pass at once. */
  @Column(countColumn) keyRevision!: number;

  /** The provider that is asked first for its calls; null: no matter. */
  @Column({ ...nameColumn, nullable: true }) preferredProvider!: string | null;

  @Column(instantColumn) createdAtMs!: number;

  /** When its owner has proved to read mail at `email`; null: not yet, so nothing but the proof is mailed there. */
  @Column({ ...instantColumn, nullable: true }) emailVerifiedAtMs!: number | null;

  /** When its owner, or an operator, deleted it; from then on nothing in this row tells who that was. */
  @Column({ ...instantColumn, nullable: true }) closedAtMs!: number | null;
}
