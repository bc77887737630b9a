import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
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
    <aside className={classes.banner} aria-label="Look as a customer">
      <p>
        You are looking at <strong>{view.email}</strong> as they see it. Read only.
      </p>
      <BusyButton variant="white" color="dark" isBusy={isEnding} onClick={() => void end()}>
        End
      </BusyButton>
    </aside>
  );
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
