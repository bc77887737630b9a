import { ApolloProvider } from '@apollo/client/react';
import { OperatorConsole } from '../../features/operator/operator-console';
import { createOperatorClient } from '../operator-client';

const client = createOperatorClient();

/** /operator and everything below it */
export default function OperatorRoute() {
  return (
    <ApolloProvider client={client}>
      <OperatorConsole />
    </ApolloProvider>
  );
}
