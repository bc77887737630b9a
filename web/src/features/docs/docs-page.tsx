import { useQuery } from '@apollo/client/react';
import { Anchor, Select, SimpleGrid, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { paths, proxyBaseUrl } from '../../app/paths';
import { CodeBlock } from '../../components/code-block';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { clientGuides } from '../../lib/client-guides';
import { chooseSnippetModel, secretPlaceholder } from '../../lib/quickstart-snippets';
import { useFreshSecrets } from '../../lib/session/fresh-secrets';
import { isKnownVisitor } from '../../lib/session/known-visitor';
import { useRefusal, useRole } from '../../lib/session/use-role';
import { useSearchChoice } from '../../lib/use-search-choice';
import classes from './docs.module.css';
import { WireNotes } from './wire-notes';

const DocsDocument = graphql(`
  query Docs {
    models {
      id
      tier
      endpoint
      isDemo
    }
  }
`);

const DocsKeysDocument = graphql(`
  query DocsKeys {
    apiKeys {
      id
      revokedAt
    }
  }
`);

const clientIds = [
  'curl',
  'python',
  'node',
  'ai-sdk',
  'langchain',
  'open-webui',
  'cursor',
  'continue',
  'anything-else',
] as const;

/** How to point any client here, with this server's address and, where this tab knows it, one's own key. */
export function DocsPage() {
  const role = useRole();
  const refusal = useRefusal('build', 'To create a key');
  const [wasHere] = useState(isKnownVisitor);
  const { data } = useQuery(DocsDocument);
  const { data: own } = useQuery(DocsKeysDocument, { skip: role === null });
  const { findSecret } = useFreshSecrets();
  const [client, setClient] = useSearchChoice('client', clientIds);
  const [chosenModel, setChosenModel] = useState<string | null>(null);
  const models = (data?.models ?? []).filter(({ endpoint }) => endpoint === 'CHAT');
  const activeKey = own?.apiKeys.find(({ revokedAt }) => !revokedAt);
  const secret = activeKey ? findSecret(activeKey.id) : null;
  const facts = {
    baseUrl: proxyBaseUrl(),
    secret: secret ?? secretPlaceholder,
    model: chosenModel ?? chooseSnippetModel(models) ?? 'gpt-4o-mini',
  };

  return (
    <Stack gap="lg">
      <SectionCard title="Two things change" description="Nothing else in your program changes.">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <div>
            <Text fw={600} size="sm" mb={6}>
              Base URL
            </Text>
            <CodeBlock code={facts.baseUrl} what="base URL" />
          </div>
          <div>
            <Text fw={600} size="sm" mb={6}>
              Key
            </Text>
            <CodeBlock code={facts.secret} what={secret === null ? 'placeholder of the key' : 'your key'} />
          </div>
        </SimpleGrid>
        <Text size="sm" c="dimmed" mt="sm">
          <AboutKey isKnown={secret !== null} isSignedIn={role !== null || wasHere} refusal={refusal} />
        </Text>
      </SectionCard>
      <SectionCard
        title="Your client"
        action={
          <Select
            aria-label="Model in the snippets"
            data={models.map(({ id }) => id)}
            value={facts.model}
            onChange={setChosenModel}
            allowDeselect={false}
            searchable
            w={{ base: 150, xs: 200 }}
          />
        }
      >
        <Tabs value={client} onChange={(value) => value && setClient(value)} keepMounted={false}>
          <Tabs.List mb="md" aria-label="Client" className={classes.clients}>
            {clientGuides(facts).map(({ id, name }) => (
              <Tabs.Tab key={id} value={id}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {clientGuides(facts).map(({ id, hint, blocks }) => (
            <Tabs.Panel key={id} value={id}>
              <Text size="sm" mb="sm">
                {hint}
              </Text>
              <div className={classes.blocks}>
                {blocks.map(({ what, code }) => (
                  <CodeBlock key={what} code={code} what={what} />
                ))}
              </div>
            </Tabs.Panel>
          ))}
        </Tabs>
      </SectionCard>
      <WireNotes />
    </Stack>
  );
}

interface AboutKeyProps {
  isKnown: boolean;
  isSignedIn: boolean;
  /** Why whoever looks makes no keys; null: they may. */
  refusal: string | null;
}

/** Where the key of the snippets comes from. */
function AboutKey({ isKnown, isSignedIn, refusal }: AboutKeyProps) {
  if (isKnown) return 'The snippets contain your new key, for half an hour and in this tab only.';
  if (refusal !== null) return refusal;
  if (!isSignedIn) {
    return (
      <>
        A key takes a minute:{' '}
        <Anchor component={Link} to={paths.signUp(paths.docs())} inherit underline="always">
          create an account
        </Anchor>
        , and it is filled into these snippets for half an hour.
      </>
    );
  }
  return (
    <>
      Your key was shown once, when it was created. Create another on the{' '}
      <Anchor component={Link} to={paths.keys()} inherit underline="always">
        keys page
      </Anchor>
      , and it is filled into these snippets for half an hour.
    </>
  );
}
