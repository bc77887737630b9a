import { useQuery } from '@apollo/client/react';
import { Button, Stack } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { graphql } from '../../gql';

const SignInProvidersDocument = graphql(`
  query SignInProviders {
    signInProviders {
      id
      label
      startPath
    }
  }
`);

/** A button for each provider by which people sign in and sign up here; nothing where there is none. */
export function ProviderButtons() {
  const { data } = useQuery(SignInProvidersDocument, { fetchPolicy: 'cache-first' });
  const [search] = useSearchParams();
  const providers = data?.signInProviders ?? [];
  const next = search.get('next');
  const query = next === null ? '' : `?next=${encodeURIComponent(next)}`;
  if (providers.length === 0) return null;
  return (
    <Stack gap="xs">
      {providers.map(({ id, label, startPath }) => (
        <Button key={id} component="a" href={`${startPath}${query}`} variant="default" size="md">
          Continue with {label}
        </Button>
      ))}
    </Stack>
  );
}
