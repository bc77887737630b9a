import { JoinPage } from '../../features/members/join-page';

/** /join#token, where the link of an invitation leads; whoever opens it need not be signed in. */
export default function JoinRoute() {
  return <JoinPage />;
}
