import { Column, Entity, PrimaryColumn } from 'typeorm';
import { instantColumn, nameColumn, wordColumn } from '../database/columns.js';

/** A card that is charged no more, and that the payment gateway is still to be asked to forget. */
@Entity('card_to_forget')
export class CardToForgetEntity {
  @PrimaryColumn(wordColumn) gateway!: string;

  /** The gateway's name for it. */
  @PrimaryColumn(nameColumn) cardId!: string;

  @Column(instantColumn) notedAtMs!: number;
}
