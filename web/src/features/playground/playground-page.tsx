import { useQuery } from '@apollo/client/react';
import { Anchor, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { paths, proxyBaseUrl } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconMessages } from '../../components/icons';
import { RoleNotice } from '../../components/role-notice';
import { RecordSkeleton } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import { formatCredits } from '../../lib/format/format-credits';
import { findSchemaFault, findToolsFault } from '../../lib/playground/chat-body';
import type { Turn } from '../../lib/playground/turn';
import { chooseSnippetModel } from '../../lib/quickstart-snippets';
import { customerView } from '../../lib/session/customer-view';
import { useRefusal } from '../../lib/session/use-role';
import { useIsFrozen } from '../../lib/session/use-standing';
import { useDraft } from '../../lib/use-draft';
import { useFieldFaults } from '../../lib/use-field-faults';
import { ChatParameters } from './chat-parameters';
import { Composer } from './composer';
import { KeepSwitch } from './keep-switch';
import { MessageList } from './message-list';
import classes from './playground.module.css';
import { PlaygroundHeader } from './playground-header';
import { modelsAsked, type PlaygroundSettings, usualSettings } from './playground-settings';
import { PromptLibrary } from './prompt-library';
import { useChat } from './use-chat';
import { useKeptPlayground } from './use-kept-playground';
import { WorstCase } from './worst-case';

const ViewCode = lazy(() => import('./view-code'));

const PlaygroundDocument = graphql(`
  query Playground {
    viewer {
      id
      debt
      isFrozen
      frozenFor
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
      capabilities {
        vision
      }
    }
  }
`);

/** Talks to models as a program would: same rules, same price, and the code to do it oneself. */
export function PlaygroundPage() {
  const { data, error, refetch } = useQuery(PlaygroundDocument);
  const refusal = useRefusal('build', 'To spend credits in the playground');
  const isFrozen = useIsFrozen();
  const chat = useChat();
  const models = useMemo(() => (data?.models ?? []).filter(({ endpoint }) => endpoint === 'CHAT'), [data]);
  const [settings, setSettings] = useSettings();
  const [isCodeOpen, code] = useDisclosure(false);
  const [draft, setDraft] = useDraft('playground.question', '');
  const faults = useFieldFaults();
  const isBusy = chat.arriving.length > 0;
  const kept = useKeptPlayground({
    settings,
    setSettings,
    isBusy,
    conversations: chat.conversations,
    setConversations: chat.replace,
  });
  useKnownModel({ models: kept.isSettled ? models : [], settings, setSettings });
  const model = models.find(({ id }) => id === settings.model) ?? null;
  const asked = models.filter(({ id }) => modelsAsked(settings).includes(id));
  const canAsk = model !== null && !refusal && !isFrozen && areSendable(settings) && !faults.first && kept.isSettled;
  const askAgain = canAsk && !isBusy ? () => chat.askAgain(settings) : null;

  return (
    <>
      <PlaygroundHeader
        chat={chat}
        onViewCode={code.open}
        prompts={
          data?.viewer && (
            <PromptLibrary
              key={data.viewer.id}
              current={{ system: settings.system, question: draft }}
              onUse={({ system, question }) => {
                setSettings({ ...settings, system });
                setDraft(question);
              }}
            />
          )
        }
      />
      {error && !data && <ErrorPanel title="The models could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={8} />}
      {data && (
        <div className={classes.desk}>
          <section className={classes.talk} aria-label="Conversation with the model">
            {chat.turns.length === 0 && !isBusy ? (
              <NothingAsked refusal={refusal} />
            ) : (
              <>
                {/* At the top: on a phone the composer lies over what stands before it. */}
                {refusal !== null && <RoleNotice>{refusal}</RoleNotice>}
                <MessageList turns={chat.turns} arriving={chat.arriving} onAskAgain={askAgain} />
              </>
            )}
            <Composer
              draft={draft}
              onDraft={setDraft}
              isBusy={isBusy}
              isPossible={canAsk}
              takesImages={asked.length > 0 && asked.every(({ capabilities }) => capabilities.vision)}
              onAsk={(question) => chat.ask(settings, question)}
              onStop={chat.stop}
              worstCase={<WorstCase settings={settings} turns={chat.turns} draft={draft} isPossible={canAsk} />}
              hint={
                data.viewer && (
                  <Text size="xs" c="dimmed" className="numeric">
                    {isFrozen && 'Nothing can be sent while the account is frozen. '}
                    {formatCredits(data.viewer.balance.available)} credits left
                    {asked.length === 1 &&
                      model &&
                      ` · ${formatCredits(model.creditsPerThousandTokens)} ${model.creditsPerThousandTokens === 1 ? 'credit' : 'credits'} per 1,000 tokens`}
                    {chat.turns.length > 0 && ` · ${formatCredits(sumCredits(chat.turns))} in this conversation`}
                    {data.viewer.balance.available <= 0 && <BuyCredits />}
                  </Text>
                )
              }
            />
          </section>
          <ChatParameters {...{ settings, models, model }} onChange={setSettings} onFault={faults.note}>
            {customerView === null && <KeepSwitch kept={kept} canTurnOn={refusal === null} />}
          </ChatParameters>
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

/** Before the first question: what comes here, or why nothing does. */
function NothingAsked({ refusal }: { refusal: string | null }) {
  const title = refusal === null ? 'Ask something' : 'Not with your role';
  return (
    <div className={classes.empty}>
      <EmptyState icon={<IconMessages size={24} />} title={title} order={2}>
        {refusal ?? 'The answer appears here as it is written, with its tokens, price and receipt.'}
      </EmptyState>
    </div>
  );
}

function areSendable({ schema, tools }: PlaygroundSettings): boolean {
  return findSchemaFault(schema ?? '') === null && findToolsFault(tools ?? '') === null;
}

/** What the whole answers of a conversation cost; a stopped one tells its price itself. */
function sumCredits(turns: readonly Turn[]): number {
  const millicredits = turns.map(({ figures }) => Math.round((figures?.credits ?? 0) * 1_000));
  return millicredits.reduce((sum, one) => sum + one, 0) / 1_000;
}

interface KnownModel {
  readonly id: string;
  readonly tier: string;
  readonly isDemo: boolean;
}

/** The settings of this tab. */
function useSettings(): readonly [PlaygroundSettings, (settings: PlaygroundSettings) => void] {
  const [kept, setSettings] = useDraft<PlaygroundSettings>('playground.settings', usualSettings);
  // What a tab kept before there was a setting has none of it.
  const settings = useMemo(() => ({ ...usualSettings, ...kept }), [kept]);
  return [settings, setSettings];
}

interface ModelChoice {
  /** None as long as the settings may still be replaced. */
  readonly models: readonly KnownModel[];
  readonly settings: PlaygroundSettings;
  readonly setSettings: (settings: PlaygroundSettings) => void;
}

/** Sees to it that the settings have a model that exists: the address's, the last one, or the newcomer's. */
function useKnownModel({ models, settings, setSettings }: ModelChoice): void {
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
}

/** Said before one has written a question that would be refused. */
function BuyCredits() {
  return (
    <>
      {' · '}
      <Anchor component={Link} to={paths.credits()} inherit underline="always">
        Buy credits
      </Anchor>
    </>
  );
}
