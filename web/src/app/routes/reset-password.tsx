import { ResetPassword } from '../../features/session/reset-password';
import { WelcomePage } from '../welcome-page';

/** /reset-password#token; whoever opens it need not be signed in. */
export default function ResetPasswordRoute() {
  return (
    <WelcomePage title="Choose a new password">
      <ResetPassword />
    </WelcomePage>
  );
}
