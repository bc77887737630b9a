import type { ReactNode } from 'react';
import { FullPageMessage } from '../../components/full-page-message';
import { failureWords } from '../../lib/forms/lost-answers';

interface FailedLinkProps {
  fault: unknown;
  whenFailed: Parameters<typeof failureWords>[1];
  /** Where one goes from here. */
  action: ReactNode;
}

/** The page of a mailed link that did not do what it is for, or of which that is not known. */
export function FailedLink({ fault, whenFailed, action }: FailedLinkProps) {
  const { title, message } = failureWords(fault, whenFailed);
  return (
    <FullPageMessage title={title} action={action}>
      {message}
    </FullPageMessage>
  );
}
