import { createApolloClient } from './apollo-client';
import { Providers } from './providers';
import { Router } from './router';

const client = createApolloClient();

/** The dashboard. */
export function App() {
  return (
    <Providers client={client}>
      <Router />
    </Providers>
  );
}
