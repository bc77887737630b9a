import { RecoverFactors } from '../../features/settings/recover-factors';

/** /recover-factors#token; whoever opens it need not be signed in. */
export default function RecoverFactorsRoute() {
  return <RecoverFactors />;
}
