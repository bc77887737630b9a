import { VerifyEmail } from '../../features/settings/verify-email';

/** /verify-email#token; whoever opens it need not be signed in. */
export default function VerifyEmailRoute() {
  return <VerifyEmail />;
}
