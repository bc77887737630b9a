import { FullPageMessage } from '../../components/full-page-message';
import { LinkButton } from '../../components/link-button';
import { paths } from '../paths';

/** Every address that is no page. */
export default function NotFoundRoute() {
  return (
    <FullPageMessage title="Not found" action={<LinkButton to={paths.overview()}>Go to the overview</LinkButton>}>
      There is no page at this address. It may be mistyped or out of date.
    </FullPageMessage>
  );
}
