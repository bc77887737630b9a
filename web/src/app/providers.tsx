import type { ApolloClient } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { MantineProvider } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { loadInTheEnd } from '../lib/load-in-the-end';
import { FreshSecretsProvider } from '../lib/session/fresh-secrets';
import { pageNonce } from './page-nonce';
import { cssVariablesResolver, theme } from './theme';

const afterFirstPageMs = 1_500;

const Toasts = lazy(async () => {
  await new Promise((resolve) => setTimeout(resolve, afterFirstPageMs));
  return loadInTheEnd(() => import('./toasts'));
});

/** Everything that the pages find around them: theme, toasts, GraphQL client, fresh secrets. */
export function Providers({ client, children }: { client: ApolloClient; children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      getStyleNonce={pageNonce}
      deduplicateInlineStyles
    >
      <Suspense fallback={null}>
        <Toasts />
      </Suspense>
      <ApolloProvider client={client}>
        <FreshSecretsProvider>{children}</FreshSecretsProvider>
      </ApolloProvider>
    </MantineProvider>
  );
}
