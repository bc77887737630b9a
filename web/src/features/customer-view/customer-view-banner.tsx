import { notifications } from '@mantine/notifications';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createOperatorClient } from '../../app/operator-client';
import { BusyButton } from '../../components/buttons/busy-button';
import { graphql } from '../../gql';
import { failureWords } from '../../lib/forms/lost-answers';
import { graphqlErrorCode } from '../../lib/graphql-error-message';
import { type CustomerView, customerView } from '../../lib/session/customer-view';
import classes from './customer-view-banner.module.css';
import { leaveCustomerView } from './leave-customer-view';

const EndDocument = graphql(`
  mutation OperatorEndCustomerView($id: ID!) {
    operator {
      endCustomerView(id: $id)
    }
  }
`);

/** Says above every page that an operator looks at it as the customer does, and ends that. */
export default function CustomerViewBanner() {
  return customerView && <Banner view={customerView} />;
}

function Banner({ view }: { view: CustomerView }) {
  const [isEnding, setIsEnding] = useState(false);
  const ref = useRef<HTMLElement>(null);
  useHeightAbove(ref);
  useEffect(refuseDownloads, []);
  async function end() {
    setIsEnding(true);
    try {
      // By the operator's own session: the view itself may change nothing.
      await createOperatorClient().mutate({ mutation: EndDocument, variables: { id: view.id } });
    } catch (error) {
      // Whoever has been signed out meanwhile has no view any more.
      if (graphqlErrorCode(error) !== 'UNAUTHENTICATED') {
        notifications.show({
          color: 'red',
          ...failureWords(error, {
            refused: 'The view goes on',
            whether: 'whether the view has ended',
            remedy: 'End it again; it ends by itself after 30 minutes.',
          }),
        });
        setIsEnding(false);
        return;
      }
    }
    leaveCustomerView(view);
  }
  return (
    <aside ref={ref} className={classes.banner} aria-label="Customer view">
      <p>
        You are looking at <strong>{view.email}</strong> as they see it. Read-only.
      </p>
      <BusyButton variant="white" color="dark" isBusy={isEnding} onClick={() => void end()}>
        End
      </BusyButton>
    </aside>
  );
}

/** Tells the styles of the page, as `--above`, how high the banner is, however many lines it has. */
function useHeightAbove(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const [banner, page] = [ref.current, document.documentElement];
    if (banner === null) return;
    const tell = () => page.style.setProperty('--above', `${banner.offsetHeight}px`);
    tell();
    const observer = new ResizeObserver(tell);
    observer.observe(banner);
    return () => {
      observer.disconnect();
      page.style.removeProperty('--above');
    };
  }, [ref]);
}

/** A link to a file would be followed without the header that names the view. */
function refuseDownloads(): () => void {
  const refuse = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="/export/"]') : null;
    if (link === null) return;
    event.preventDefault();
    const message = 'You look at this account as its customer sees it. Downloads are the customer’s own.';
    notifications.show({ color: 'red', title: 'Nothing was downloaded', message });
  };
  document.addEventListener('click', refuse, true);
  return () => document.removeEventListener('click', refuse, true);
}
