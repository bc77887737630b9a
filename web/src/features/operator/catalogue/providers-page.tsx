import { useQuery } from '@apollo/client/react';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { PageHeader } from '../../../components/page-header';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorProvidersQuery } from '../../../gql/graphql';
import { type Act, ActDialog } from '../act-dialog';
import classes from '../operator.module.css';
import type { May } from '../operator-console';
import { ProviderTestButton } from './provider-test-button';
import { useProviderActs, useProviderKeyActs } from './use-provider-acts';

const OperatorProvidersDocument = graphql(`
  query OperatorProviders {
    operator {
      catalogueStanding {
        revision
        fault
      }
      providers {
        id
        name
        setIn
        address
        isSwitchedOff
        rank
        isOn
        models
        state
        retryAt
        keys {
          id
          masked
          setIn
          weight
          coolsUntil
          isReadable
        }
        figures {
          attempts
          errors
          lastErrorCode
          p50Ms
          p95Ms
        }
      }
    }
  }
`);

type Provider = OperatorProvidersQuery['operator']['providers'][number];
type ProviderKey = Provider['keys'][number];
type Acts = ReturnType<typeof useProviderActs> & ReturnType<typeof useProviderKeyActs>;

interface Doing {
  readonly may: May;
  readonly acts: Acts;
  readonly onAct: (act: Act) => void;
}

const setInWords = { BUILT_IN: 'built in', ENVIRONMENT: 'environment', FILE: 'tollgate.yaml', DATABASE: 'set here' };

/** Providers, their keys and how they do, read again every ten seconds. */
export function ProvidersPage({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(OperatorProvidersDocument, { pollInterval: 10_000 });
  const [act, setAct] = useState<Act | null>(null);
  const acts = { ...useProviderActs(refetch), ...useProviderKeyActs(refetch) };
  const doing = { may, acts, onAct: setAct };
  const fault = data?.operator.catalogueStanding.fault;
  const providers = data?.operator.providers ?? [];
  const inUse = providers.filter(
    ({ isOn, isSwitchedOff, keys, setIn }) => isOn || isSwitchedOff || keys.length > 0 || setIn === 'DATABASE',
  );
  const others = providers.filter((provider) => !inUse.includes(provider));
  return (
    <>
      <PageHeader
        title="Providers"
        description="Changes reach every server within seconds. States and figures are from the process that answered."
        actions={
          data &&
          may('setProvider') && (
            <Button size="xs" variant="default" onClick={() => setAct(acts.add)}>
              Add a provider
            </Button>
          )
        }
      />
      {error && !data && <ErrorPanel title="Providers could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={8} />}
      {data && (
        <Stack gap="lg">
          {fault && (
            <Alert color="red">
              The last change could not be applied, and the settings before it still hold: {fault}
            </Alert>
          )}
          {inUse.map((provider) => (
            <ProviderCard key={provider.id} provider={provider} doing={doing} />
          ))}
          <Unused providers={others} doing={doing} />
        </Stack>
      )}
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </>
  );
}

function ProviderCard({ provider, doing }: { provider: Provider; doing: Doing }) {
  const { figures, name, setIn, address, rank, models } = provider;
  const speed = figures.p50Ms == null ? '–' : `${figures.p50Ms} / ${figures.p95Ms ?? '–'} ms`;
  const errors = `${figures.errors} of ${figures.attempts}${figures.lastErrorCode ? `, last ${figures.lastErrorCode}` : ''}`;
  return (
    <SectionCard title={name} description={`${setInWords[setIn]}${address ? `, ${address}` : ''}`}>
      <Stack gap="md">
        <dl className={classes.figures}>
          <Figure label="State" value={stateOf(provider)} />
          <Figure label="Models" value={String(models.length)} />
          <Figure label="Place" value={rank == null ? 'by the price list' : String(rank)} />
          <Figure label="Failed attempts" value={errors} />
          <Figure label="TTFT, p50 / p95" value={speed} />
        </dl>
        {provider.keys.length > 0 && <Keys provider={provider} doing={doing} />}
        <ProviderButtons provider={provider} doing={doing} />
      </Stack>
    </SectionCard>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className={classes.words}>{value}</dd>
    </div>
  );
}

function stateOf({ isSwitchedOff, isOn, state, retryAt }: Provider): string {
  if (isSwitchedOff) return 'switched off';
  if (!isOn) return 'answers no model';
  return state === 'healthy' ? 'healthy' : `${state}${retryAt ? ', circuit open' : ''}`;
}

function Keys({ provider: { id, name, keys }, doing }: { provider: Provider; doing: Doing }) {
  return (
    <RecordTable
      label={`Keys of ${name}`}
      rows={keys}
      keyOf={(key) => key.id ?? key.setIn}
      columns={[
        {
          header: 'Key',
          card: 'title',
          cell: ({ masked }) => (isShown(masked) ? <code>{masked}</code> : 'hidden, too short'),
        },
        { header: 'Set in', cell: ({ setIn }) => setInWords[setIn] },
        { header: 'Weight', cell: ({ weight }) => weight },
        { header: 'State', cell: (key) => <KeyState of={key} /> },
        { header: 'Actions', cell: (key) => <KeyButtons of={key} providerId={id} doing={doing} /> },
      ]}
    />
  );
}

/** Of a short key no part is shown: the server says it by the dots alone. */
function isShown(masked: string): boolean {
  return masked !== '…';
}

function KeyState({ of: { coolsUntil, isReadable } }: { of: ProviderKey }) {
  if (!isReadable) return 'SECRETS_KEY cannot decrypt it';
  return coolsUntil ? (
    <>
      paused, retried <RelativeTime at={coolsUntil} />
    </>
  ) : (
    'used'
  );
}

function KeyButtons({
  of: { id, masked, weight },
  providerId,
  doing,
}: {
  of: ProviderKey;
  providerId: string;
  doing: Doing;
}) {
  const { acts, may, onAct } = doing;
  if (id == null || !may('addProviderKey')) return null;
  const buttons = [
    ['Replace', acts.addKey(providerId, id)],
    ['Weight', acts.weighKey(id, weight)],
    ['Remove', acts.removeKey(id)],
  ] as const;
  return (
    <Group gap="xs">
      {buttons.map(([label, act]) => (
        <Button
          key={label}
          size="xs"
          variant="default"
          aria-label={`${label} key ${masked}`}
          onClick={() => onAct(act)}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}

function ProviderButtons({ provider, doing: { acts, may, onAct } }: { provider: Provider; doing: Doing }) {
  const { id, name, isSwitchedOff, rank, setIn, address, keys } = provider;
  const isKept = setIn === 'DATABASE' || isSwitchedOff || rank != null || keys.some((key) => key.setIn === 'DATABASE');
  const buttons: readonly (readonly [string, Act])[] = [
    [isSwitchedOff ? 'Switch on' : 'Switch off', acts.switchTo(id, name, isSwitchedOff)],
    ['Place', acts.move(id, rank ?? null)],
    ...(address ? [['Add a key', acts.addKey(id, null)] as const] : []),
    ...(isKept ? [['Take out', acts.remove(id, name)] as const] : []),
  ];
  return (
    <Group gap="xs">
      {may('testProvider') && <ProviderTestButton id={id} name={name} />}
      {may('setProvider') &&
        buttons.map(([label, act]) => (
          <Button key={label} size="xs" variant="default" aria-label={`${label}: ${name}`} onClick={() => onAct(act)}>
            {label}
          </Button>
        ))}
    </Group>
  );
}

function Unused({ providers, doing: { acts, may, onAct } }: { providers: readonly Provider[]; doing: Doing }) {
  return (
    <SectionCard title="Others" description="They work as soon as they have a key, here or in the environment.">
      <Group gap="xs">
        {providers.map(({ id, name }) =>
          may('addProviderKey') ? (
            <Button
              key={id}
              size="xs"
              variant="default"
              aria-label={`Add a key: ${name}`}
              onClick={() => onAct(acts.addKey(id, null))}
            >
              {name}
            </Button>
          ) : (
            <Text key={id} size="sm">
              {name}
            </Text>
          ),
        )}
      </Group>
    </SectionCard>
  );
}
