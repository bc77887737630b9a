import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { idColumn, instantColumn, millicreditsColumn, nameColumn, wordColumn } from '../database/columns.js';

/** What an operator can do. */
export type OperatorAction =
  | 'grant'
  | 'take_back'
  | 'ask_grant'
  | 'ask_take_back'
  | 'refund'
  | 'ask_refund'
  | 'approve_refund'
  | 'refuse_refund'
  | 'retry_event'
  | 'dismiss_event'
  | 'reconcile'
  | 'approve'
  | 'refuse'
  | 'freeze'
  | 'open'
  | 'delete_account'
  | 'export_account'
  | 'set_risk_mark'
  | 'clear_risk_mark'
  | 'create_gift_codes'
  | 'revoke_gift_code'
  | 'book_settlement'
  | 'dismiss_settlement'
  | 'mend_usage'
  | 'revoke_key'
  | 'end_sessions'
  | 'begin_view'
  | 'begin_told_view'
  | 'end_view'
  | 'reset_link'
  | 'resend_notice'
  | 'invite'
  | 'renew'
  | 'join'
  | 'disable'
  | 'create_token'
  | 'revoke_token'
  | 'sign_in'
  | 'sign_out'
  | 'prove'
  | 'add_passkey'
  | 'remove_passkey'
  | 'set_provider'
  | 'remove_provider'
  | 'add_provider_key'
  | 'weigh_provider_key'
  | 'remove_provider_key'
  | 'test_provider'
  | 'apply_prices'
  | 'withdraw_prices'
  | 'create_price_group'
  | 'set_price_group'
  | 'assign_price_group'
  | 'set_account_limits'
  | 'block_sign_up'
  | 'unblock_sign_up'
  | 'set_sign_up'
  | 'invite_to_sign_up'
  | 'withdraw_invitation'
  | 'announce'
  | 'end_announcement'
  | 'begin_maintenance'
  | 'end_maintenance'
  | 'set_receipt_retention'
  | 'test_mail'
  | 'test_event';

/** One change that an operator has made by hand. Written once; nothing of ours changes or deletes a row. */
@Entity('operator_event')
@Index('ix_operator_event_account', ['accountId', 'id'])
export class OperatorEventEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(instantColumn) atMs!: number;

  /** Who it was: an operator's name and id, or, at the command line, the user of the system and the machine. */
  @Column(nameColumn) actor!: string;

  @Column(wordColumn) action!: OperatorAction;

  /** Empty where it was about no account. */
  @Column(idColumn) accountId!: string;

  /** The key, notice, request or operator that it was about; null: the account. */
  @Column({ ...idColumn, nullable: true }) subject!: string | null;

  @Column({ ...millicreditsColumn, nullable: true }) amountMillicredits!: number | null;
  @Column(nameColumn) reason!: string;
}
