import { UndoEmailChange } from '../../features/session/undo-email-change';
import { WelcomePage } from '../welcome-page';

/** /undo-email-change#token; whoever opens it need not be signed in. */
export default function UndoEmailChangeRoute() {
  return (
    <WelcomePage title="Take your address back">
      <UndoEmailChange />
    </WelcomePage>
  );
}
