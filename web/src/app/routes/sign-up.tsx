import { SignUpForm } from '../../features/session/sign-up-form';
import { WelcomePage } from '../welcome-page';

/** /sign-up */
export default function SignUpRoute() {
  return (
    <WelcomePage title="Create your account">
      <SignUpForm />
    </WelcomePage>
  );
}
