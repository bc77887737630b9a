import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  countColumn,
  idColumn,
  integerColumn,
  millicreditsColumn,
  nameColumn,
  wordColumn,
} from '../../database/columns.js';

/** The receipts of a set that are alike in all that it is divided by. Written and removed with their set. */
@Entity('usage_part')
export class UsagePartEntity {
  @PrimaryColumn(idColumn) setId!: string;
  @PrimaryColumn(integerColumn) number!: number;
  @Column(idColumn) keyId!: string;
  @Column(nameColumn) model!: string;
  @Column(nameColumn) provider!: string;

  /** The tag or the end user, as the set's kind says; empty: none. */
  @Column(nameColumn) mark!: string;

  @Column(wordColumn) outcome!: string;
  @Column(countColumn) calls!: number;
  @Column(countColumn) failedCalls!: number;
  @Column(countColumn) promptTokens!: number;
  @Column(countColumn) completionTokens!: number;
  @Column(millicreditsColumn) chargedMillicredits!: number;

  /** Of the tokens in, those from a cache, and of the tokens out, those that were reasoned; both null: not summed. */
  @Column({ ...countColumn, nullable: true }) cachedTokens!: number | null;

  @Column({ ...countColumn, nullable: true }) reasoningTokens!: number | null;
}
