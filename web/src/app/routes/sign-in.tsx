import { SignInForm } from '../../features/session/sign-in-form';
import { WelcomePage } from '../welcome-page';

/** /sign-in */
export default function SignInRoute() {
  return (
    <WelcomePage title="Sign in">
      <SignInForm />
    </WelcomePage>
  );
}
