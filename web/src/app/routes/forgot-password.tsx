import { ForgotPasswordForm } from '../../features/session/forgot-password-form';
import { WelcomePage } from '../welcome-page';

/** /forgot-password */
export default function ForgotPasswordRoute() {
  return (
    <WelcomePage title="Forgot your password?">
      <ForgotPasswordForm />
    </WelcomePage>
  );
}
