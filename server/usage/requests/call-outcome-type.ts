import { registerEnumType } from 'type-graphql';
import type { CallRecord } from './call-reader.js';

// The names on the wire stand on the left, as everywhere.
/** The ways in which a call ends, by their names in the schema. */
export const callOutcomes = {
  COMPLETED: 'completed',
  INTERRUPTED: 'interrupted',
  ABANDONED: 'abandoned',
  FAILED: 'failed',
  EXPIRED: 'expired',
} as const satisfies Record<Uppercase<CallRecord['outcome']>, CallRecord['outcome']>;
registerEnumType(callOutcomes, {
  name: 'CallOutcome',
  description: 'How a call ended.',
  valuesConfig: {
    COMPLETED: { description: 'Answered in full.' },
    INTERRUPTED: { description: 'The provider broke off; what had been delivered is charged.' },
    ABANDONED: { description: 'The caller left; what had been made by then is charged.' },
    FAILED: { description: 'Nothing was delivered, and nothing is charged.' },
    EXPIRED: { description: 'The server that ran it was lost; what had provably been used is charged.' },
  },
});
