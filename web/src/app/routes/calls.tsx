import { Navigate, useSearchParams } from 'react-router';
import { fromCallsAddress } from '../../features/requests/request-filter';
import { paths } from '../paths';

/** /calls, where requests were before: leads on, with what the address asked for. */
export default function CallsRoute() {
  const [search] = useSearchParams();
  return <Navigate to={paths.requests(fromCallsAddress(search))} replace />;
}
