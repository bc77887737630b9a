import { Alert, Anchor, Stack, Tabs, Text } from '@mantine/core';
import { Link } from 'react-router';
import { paths, proxyBaseUrl } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { CodeBlock } from '../../components/code-block';
import { EmptyState } from '../../components/empty-state';
import { IconKey } from '../../components/icons';
import { SectionCard } from '../../components/section-card';
import {
  chooseSnippetModel,
  quickstartSnippets,
  type SnippetModel,
  secretPlaceholder,
} from '../../lib/quickstart-snippets';
import { useFreshSecrets } from '../../lib/session/fresh-secrets';
import type { FirstKey } from './use-first-key';

interface QuickstartCardProps {
  /** Null while the account has no key in force. */
  activeKeyId: string | null;
  firstKey: FirstKey;
  models: readonly SnippetModel[];
}

/** Makes the key when there is none, then shows the first call with that key already in it. */
export function QuickstartCard({ activeKeyId, firstKey, models }: QuickstartCardProps) {
  const { findSecret } = useFreshSecrets();

  return (
    <SectionCard
      title="Quickstart"
      description="Any client of the OpenAI interface works: change the base URL and the key."
    >
      {activeKeyId === null ? (
        <EmptyState
          icon={<IconKey size={24} />}
          title="Start with a key"
          action={
            <BusyButton onClick={() => void firstKey.create()} isBusy={firstKey.isCreating}>
              {firstKey.isCreating ? 'Creating …' : 'Create your key'}
            </BusyButton>
          }
        >
          Create it with one click. Ready-to-run snippets for curl, Python and Node appear here with your key filled in.
        </EmptyState>
      ) : (
        <Snippets secret={findSecret(activeKeyId)} model={chooseSnippetModel(models) ?? 'gpt-4o-mini'} />
      )}
    </SectionCard>
  );
}

function Snippets({ secret, model }: { secret: string | null; model: string }) {
  const snippets = quickstartSnippets({ baseUrl: proxyBaseUrl(), secret: secret ?? secretPlaceholder, model });
  return (
    <Stack gap="md">
      {secret === null ? (
        <Alert color="gray" title={`Replace ${secretPlaceholder} with your key`}>
          A key is shown only once, when it is created. Lost it? Rotate it on the{' '}
          <Anchor component={Link} to={paths.keys()} inherit underline="always">
            keys page
          </Anchor>{' '}
          to get a new one.
        </Alert>
      ) : (
        <Alert color="amber" role="alert" title="This is the only time your key is shown">
          <Text size="sm" mb="xs">
            Copy it to a safe place now. It disappears from this page when you close the tab, sign out, or after half an
            hour.
          </Text>
          <CodeBlock code={secret} what="your key" />
        </Alert>
      )}
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm" aria-label="Language of the snippet">
          {snippets.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ language, hint, code }) => (
          <Tabs.Panel key={language} value={language}>
            <CodeBlock code={code} what={`${language} snippet`} />
            <Text size="sm" c="dimmed" mt="xs">
              {hint}
            </Text>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
