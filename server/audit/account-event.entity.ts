import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, nameColumn, wordColumn } from '../database/columns.js';
import type { MemberRole } from '../kernel/member-role.js';
import type { EventKind } from './event-kinds.js';

/** Something that happened to an account. Written once, in the transaction of what happened, and never changed. */
@Entity('account_event')
@Index('ix_account_event_account', ['accountId', 'id'])
@Index('ix_account_event_kind', ['kind', 'id'])
export class AccountEventEntity {
  /** Sorts by the time of the event. */
  @PrimaryColumn(idColumn) id!: string;

  @Column(idColumn) accountId!: string;
  @Column(wordColumn) kind!: EventKind;

  /** The session or API key that did it; null: somebody who was not signed in, or this server. */
  @Column({ ...idColumn, nullable: true }) actorId!: string | null;

  /** The person whose session it was, by the account that they signed up with; null: it was none. */
  @Column({ ...idColumn, nullable: true }) personId!: string | null;

  /** What that person was in the account at the time. */
  @Column({ ...wordColumn, nullable: true }) role!: MemberRole | null;

  /** The session, key or purchase that it was done to; null: the account itself. */
  @Column({ ...idColumn, nullable: true }) subjectId!: string | null;

  /** What a person knows it by, such as the name of a key. Never a secret. */
  @Column({ ...nameColumn, nullable: true }) detail!: string | null;

  /** Where from, as networks are counted for limits; null: from this server. */
  @Column({ ...nameColumn, nullable: true }) network!: string | null;

  /** What the program that did it called itself. */
  @Column({ ...nameColumn, nullable: true }) userAgent!: string | null;

  @Column(instantColumn) createdAtMs!: number;
}
