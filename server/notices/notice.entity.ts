import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import {
  idColumn,
  instantColumn,
  integerColumn,
  nameColumn,
  textColumn,
  urlColumn,
  wordColumn,
} from '../database/columns.js';

/**
 * `logged`: a mail, and there is no mail server. `dropped`: nobody wants it any more. `queued`: it waits for an endpoint; the release
 * before, which knows none and would sign it by another secret, does not look for it.
 */
export type NoticeState = 'waiting' | 'queued' | 'sent' | 'logged' | 'dropped' | 'given_up';

/** Something to tell somebody. It waits here from the transaction that made it necessary until it was sent. */
@Entity('notice')
@Index('ux_notice_subject_key', ['subjectKey'], { unique: true })
@Index('ix_notice_due', ['state', 'dueAtMs'])
@Index('ix_notice_account', ['accountId', 'createdAtMs'])
export class NoticeEntity {
  @PrimaryColumn(idColumn) id!: string;

  /** Made of what it is about, so that the same thing is told once. */
  @Column(nameColumn) subjectKey!: string;

  /** Null: for the operator. */
  @Column({ ...idColumn, nullable: true }) accountId!: string | null;

  /** `webhook`: the one of the balance alert. `dashboard`: it is sent to nobody, and shown to whoever looks. */
  @Column(wordColumn) channel!: 'email' | 'webhook' | 'endpoint' | 'dashboard';

  /** Of the channel `endpoint`: which one; null: another channel. */
  @Column({ ...idColumn, nullable: true }) endpointId!: string | null;

  /** An e-mail address, or a web address. */
  @Column(urlColumn) recipient!: string;

  @Column(nameColumn) title!: string;
  @Column(textColumn) body!: string;

  /** What a secret link stands for that is made when the mail is sent, so that it lies nowhere; null: it has none. */
  @Column({ ...idColumn, nullable: true }) linkId!: string | null;

  @Column(wordColumn) state!: NoticeState;
  @Column(integerColumn) attempts!: number;

  /** When it may be tried; whoever tries it moves this on first, so that no two instances do. */
  @Column(instantColumn) dueAtMs!: number;

  /** Why a webhook did not take it when it was last tried; null: it did, or was not tried. */
  @Column({ ...nameColumn, nullable: true }) lastFault!: string | null;

  @Column({ ...instantColumn, nullable: true }) lastAttemptMs!: number | null;
  @Column(instantColumn) createdAtMs!: number;
}
