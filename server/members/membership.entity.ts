import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, millicreditsColumn, wordColumn } from '../database/columns.js';
import type { MemberRole } from '../kernel/member-role.js';

/** A person in an account. Whoever signed up for an account is its owner without a row, until their role is changed. */
@Entity('membership')
@Check('ck_membership_role', "role IN ('owner', 'admin', 'developer', 'billing', 'viewer')")
@Index('ix_membership_person', ['personId'])
export class MembershipEntity {
  @PrimaryColumn(idColumn) accountId!: string;

  /** The account that the person signed up with. */
  @PrimaryColumn(idColumn) personId!: string;

  @Column(wordColumn) role!: MemberRole;
  @Column(instantColumn) createdAtMs!: number;

  /** What the keys that they have made may spend together in a month of the calendar; null: as much as the account. */
  @Column({ ...millicreditsColumn, nullable: true })
  monthlyBudgetMillicredits?: number | null;
}
