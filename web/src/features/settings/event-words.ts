import type { AccountEventKind } from '../../gql/graphql';

/** What happened, in words. */
export const eventWords: Readonly<Record<AccountEventKind, string>> = {
  SIGNED_UP: 'Account made',
  SIGNED_IN: 'Signed in',
  SIGN_IN_FAILED: 'Sign-in with a wrong password',
  SIGNED_OUT: 'Signed out',
  SESSION_ENDED: 'Session ended',
  ALL_SESSIONS_ENDED: 'Every session ended',
  PASSWORD_CHANGED: 'Password changed',
  PASSWORD_RESET: 'Password replaced by a mailed link',
  EMAIL_VERIFIED: 'E-mail address verified',
  EMAIL_CHANGE_ASKED: 'Another e-mail address asked for',
  EMAIL_CHANGED: 'E-mail address changed',
  EMAIL_CHANGE_UNDONE: 'Former e-mail address taken back',
  AUTHENTICATOR_ADDED: 'Authenticator app added',
  AUTHENTICATOR_REMOVED: 'Authenticator app removed',
  PASSKEY_ADDED: 'Passkey added',
  PASSKEY_RENAMED: 'Passkey renamed',
  PASSKEY_REMOVED: 'Passkey removed',
  RECOVERY_CODES_MADE: 'New recovery codes',
  RECOVERY_CODE_USED: 'Recovery code used',
  FACTOR_RECOVERY_BEGUN: 'Recovery of lost factors begun',
  FACTOR_RECOVERY_ENDED: 'Recovery of lost factors cancelled',
  FACTORS_REMOVED: 'Second factors removed by recovery',
  PROFILE_CHANGED: 'Name changed',
  PROVIDER_PREFERRED: 'Preferred provider set',
  KEY_CREATED: 'Key made',
  KEY_CHANGED: 'Key changed',
  KEY_ROTATED: 'Key rotated',
  KEY_REVOKED: 'Key revoked',
  KEY_LEAKED: 'Key found in public and ended',
  ALL_KEYS_REVOKED: 'Every key revoked',
  CHECKOUT_STARTED: 'Purchase begun',
  CREDITS_BOUGHT: 'Credits bought',
  CARD_SAVED: 'Card saved',
  AUTO_TOP_UP_SET: 'Automatic top-up set',
  BALANCE_ALERT_SET: 'Balance alert set',
  GIFT_CLAIMED: 'Gift code claimed',
  DATA_EXPORTED: 'Data downloaded',
  ACCOUNT_DELETED: 'Account deleted',
};

/** What the list can be narrowed to. */
export const eventGroups = {
  all: { label: 'Everything', kinds: null },
  signIns: {
    label: 'Sign-ins and sessions',
    kinds: ['SIGNED_IN', 'SIGN_IN_FAILED', 'SIGNED_OUT', 'SESSION_ENDED', 'ALL_SESSIONS_ENDED'],
  },
  keys: {
    label: 'Keys',
    kinds: ['KEY_CREATED', 'KEY_CHANGED', 'KEY_ROTATED', 'KEY_REVOKED', 'KEY_LEAKED', 'ALL_KEYS_REVOKED'],
  },
  factors: {
    label: 'Passkeys and codes',
    kinds: [
      'AUTHENTICATOR_ADDED',
      'AUTHENTICATOR_REMOVED',
      'PASSKEY_ADDED',
      'PASSKEY_RENAMED',
      'PASSKEY_REMOVED',
      'RECOVERY_CODES_MADE',
      'RECOVERY_CODE_USED',
      'FACTOR_RECOVERY_BEGUN',
      'FACTOR_RECOVERY_ENDED',
      'FACTORS_REMOVED',
    ],
  },
  money: {
    label: 'Credits and cards',
    kinds: ['CHECKOUT_STARTED', 'CREDITS_BOUGHT', 'CARD_SAVED', 'AUTO_TOP_UP_SET', 'BALANCE_ALERT_SET', 'GIFT_CLAIMED'],
  },
  account: {
    label: 'Password, address and data',
    kinds: [
      'SIGNED_UP',
      'PASSWORD_CHANGED',
      'PASSWORD_RESET',
      'EMAIL_VERIFIED',
      'EMAIL_CHANGE_ASKED',
      'EMAIL_CHANGED',
      'EMAIL_CHANGE_UNDONE',
      'PROFILE_CHANGED',
      'PROVIDER_PREFERRED',
      'DATA_EXPORTED',
    ],
  },
} as const satisfies Readonly<Record<string, { label: string; kinds: readonly AccountEventKind[] | null }>>;

export type EventGroup = keyof typeof eventGroups;
