import { useQuery } from '@apollo/client/react';
import { Button, Group, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCode, IconMessages, IconPlus, IconTrash } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { proxyBaseUrl } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { PageHeader } from '../../components/page-header';
import { RecordSkeleton } from '../../components/record-table';
import { graphql } from '../../gql';
import type { ChatSettings } from '../../lib/ask-model';
import { titleOf } from '../../lib/conversations';
import { formatCredits } from '../../lib/format-credits';
import { chooseSnippetModel } from '../../lib/quickstart-snippets';
import { useDraft } from '../../lib/use-draft';
import { ChatParameters } from './chat-parameters';
import { Composer } from './composer';
import { MessageList } from './message-list';
import classes from './playground.module.css';
import { useChat } from './use-chat';

const ViewCode = lazy(() => import('./view-code'));

const PlaygroundDocument = graphql(`
  query Playground {
    viewer {
      id
      balance {
        available
        held
      }
    }
    models {
      id
      tier
      endpoint
      creditsPerThousandTokens
      maxOutputTokens
      isDemo
    }
  }
`);

const usualSettings: ChatSettings = { model: '', system: '', temperature: null, maxTokens: null, isStreamed: true };

/** Talks to a model as a program would: same rules, same price, and the code to do it oneself. */
export function PlaygroundPage() {
  const { data, error, refetch } = useQuery(PlaygroundDocument, { fetchPolicy: 'cache-and-network' });
  const chat = useChat();
  const models = useMemo(() => (data?.models ?? []).filter(({ endpoint }) => endpoint === 'CHAT'), [data]);
  const [settings, setSettings] = useSettings(models);
  const [isCodeOpen, code] = useDisclosure(false);
  const isBusy = chat.arriving !== null;
  const model = models.find(({ id }) => id === settings.model) ?? null;

  return (
    <>
      <PageHeader
        title="Playground"
        description="Try a model with your own words. Each answer is billed as any call is."
        actions={
          <Group gap="xs">
            <Button variant="default" leftSection={<IconCode size={16} aria-hidden />} onClick={code.open}>
              View code
            </Button>
            {chat.conversations.length > 1 && (
              <Select
                aria-label="Conversation"
                data={chat.conversations.map((one) => ({ value: one.id, label: titleOf(one) }))}
                value={chat.turns.length > 0 ? chat.currentId : null}
                placeholder="Earlier conversations"
                onChange={(id) => id !== null && chat.open(id)}
                disabled={isBusy}
                allowDeselect={false}
                comboboxProps={{ width: 'max-content', position: 'bottom-end' }}
              />
            )}
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={chat.begin}
              disabled={isBusy || chat.turns.length === 0}
            >
              New
            </Button>
            <Button
              variant="default"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={chat.clear}
              disabled={isBusy || chat.turns.length === 0}
            >
              Clear
            </Button>
          </Group>
        }
      />
      {error && !data && <ErrorPanel title="The models could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={8} />}
      {data && (
        <div className={classes.desk}>
          <section className={classes.talk} aria-label="Conversation with the model">
            {chat.turns.length === 0 && !isBusy ? (
              <div className={classes.empty}>
                <EmptyState icon={<IconMessages size={24} />} title="Ask something">
                  The answer appears here as it is written, with its tokens, its price and its receipt.
                </EmptyState>
              </div>
            ) : (
              <MessageList turns={chat.turns} arriving={chat.arriving} />
            )}
            <Composer
              isBusy={isBusy}
              isPossible={model !== null}
              onAsk={(question) => chat.ask(settings, question)}
              onStop={chat.stop}
              hint={
                data.viewer && (
                  <Text size="xs" c="dimmed" className="numeric">
                    {formatCredits(data.viewer.balance.available)} credits left
                    {model && ` · ${formatCredits(model.creditsPerThousandTokens)} per 1,000 tokens`}
                  </Text>
                )
              }
            />
          </section>
          <ChatParameters settings={settings} onChange={setSettings} models={models} model={model} />
        </div>
      )}
      <Suspense fallback={null}>
        {isCodeOpen && (
          <ViewCode settings={settings} messages={chat.turns} baseUrl={proxyBaseUrl()} onClose={code.close} />
        )}
      </Suspense>
    </>
  );
}

interface KnownModel {
  readonly id: string;
  readonly tier: string;
  readonly isDemo: boolean;
}

/** The settings of this tab, with a model that exists: the address's, the last one, or the newcomer's. */
function useSettings(models: readonly KnownModel[]): readonly [ChatSettings, (settings: ChatSettings) => void] {
  const [settings, setSettings] = useDraft<ChatSettings>('playground.settings', usualSettings);
  const [search, setSearch] = useSearchParams();
  const asked = search.get('model');
  useEffect(() => {
    if (models.length === 0) return;
    const isKnown = (id: string | null) => models.some((model) => model.id === id);
    const model = isKnown(asked) ? asked : isKnown(settings.model) ? settings.model : chooseSnippetModel(models);
    if (model !== null && model !== settings.model) setSettings({ ...settings, model });
    // Once taken over, the choice is the settings' own, and another one there must not be undone by the address.
    if (asked !== null) setSearch({}, { replace: true });
  }, [models, asked, settings, setSettings, setSearch]);
  return [settings, setSettings];
}
