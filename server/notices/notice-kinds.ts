import { Like, Or } from 'typeorm';

/**
 * What is told to accounts, by what its subject begins with, and how much of it an account is sent in an hour.
 * `shared`: the dashboard says it as well, and whoever is in the account can cause it at will, so these share ten an hour, each way.
 * `own`: ten an hour of this kind alone; the first ones say all that the others would.
 * `kept`: it is about the safety or the money of the account, or is bounded where it is put; it is never refused, and nobody can have
 * it refused by causing others first.
 */
export const noticeKinds: Readonly<Record<string, 'shared' | 'own' | 'kept'>> = {
  balance: 'shared',
  budget: 'shared',
  endpoint: 'shared',
  low: 'shared',
  'member-budget': 'shared',
  spike: 'shared',

  'new-device': 'own',
  'own-budget': 'own',
  'webhook-test': 'own',

  calls: 'kept',
  'card-forgotten': 'kept',
  'confirm-email': 'kept',
  'email-change-asked': 'kept',
  'email-change-undone': 'kept',
  'email-changed': 'kept',
  factor: 'kept',
  'factor-link': 'kept',
  invitation: 'kept',
  'key-leaked': 'kept',
  'operator-view': 'kept',
  'password-reset': 'kept',
  'reset-password': 'kept',
  'sign-up-invitation': 'kept',
  'top-up-cap': 'kept',
  'top-up-failed': 'kept',
  'top-up-off': 'kept',
  'top-up-paid': 'kept',
  'undo-email': 'kept',
  'verify-email': 'kept',
};

/** Finds the subjects that share their hour with this one; null: its kind is never refused, as is one that nobody has listed. */
export function sharesHourWith(subjectKey: string) {
  const kind = kindOf(subjectKey);
  const bound = noticeKinds[kind] ?? 'kept';
  if (bound === 'kept') return null;
  const sharing = Object.keys(noticeKinds).filter((other) => other === kind || noticeKinds[other] === 'shared');
  return Or(...(bound === 'own' ? [kind] : sharing).map((other) => Like(`${other}:%`)));
}

function kindOf(subjectKey: string): string {
  return subjectKey.slice(0, Math.max(0, subjectKey.indexOf(':')));
}
