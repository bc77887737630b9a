import { type CallOutcomeName, outcomeWords } from '../lib/requests/call-outcome';
import { StatusBadge } from './status-badge';

/** How a call ended, in a word and a colour. */
export function OutcomeBadge({ outcome }: { outcome: CallOutcomeName }) {
  const { label, color } = outcomeWords[outcome];
  return <StatusBadge color={color}>{label}</StatusBadge>;
}
