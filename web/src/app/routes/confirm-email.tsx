import { ConfirmEmail } from '../../features/settings/confirm-email';

/** /confirm-email#token; whoever opens it need not be signed in. */
export default function ConfirmEmailRoute() {
  return <ConfirmEmail />;
}
