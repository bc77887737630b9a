import '@mantine/spotlight/styles.css';
import { useQuery } from '@apollo/client/react';
import { useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight';
import { startTransition, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { destinations } from '../../app/destinations';
import { paths, proxyBaseUrl } from '../../app/paths';
import { IconCopy, IconCpu, IconKey, IconMoon, IconReceipt, IconSearch, IconSun } from '../../components/icons';
import { graphql } from '../../gql';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';

const PaletteDocument = graphql(`
  query Palette {
    models {
      id
      tier
      endpoint
    }
    apiKeys {
      id
      name
    }
  }
`);

const [store, palette] = createSpotlight();
const callId = /^call_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Leads anywhere by a few letters: pages, models, the requests of a key, a call by its id, and what one does often. */
export default function CommandPalette({ timesAsked }: { timesAsked: number }) {
  const [words, setWords] = useState('');
  const actions = useActions(words.trim());
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time it is asked for, it opens
  useEffect(() => palette.open(), [timesAsked]);
  return (
    <Spotlight
      store={store}
      actions={actions}
      query={words}
      onQueryChange={setWords}
      shortcut={null}
      highlightQuery
      limit={9}
      attributes={{ content: { 'aria-label': 'Search or jump to' } }}
      scrollable
      maxHeight={420}
      radius="lg"
      // A page that is blurred behind it would be blurred anew with every letter.
      overlayProps={{ backgroundOpacity: 0.45, blur: 0 }}
      nothingFound="No results. Try a page, a model, a key, or the id of a call."
      searchProps={{
        placeholder: 'Page, model, key, or call_… id',
        'aria-label': 'Search or jump to',
        leftSection: <IconSearch size={18} aria-hidden />,
      }}
    />
  );
}

function useActions(words: string): (SpotlightActionData | SpotlightActionGroupData)[] {
  const named = useNamed();
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const goTo = (path: string) => () => void navigate(path);
  const isDark = colorScheme === 'dark';
  const mayBuild = mayDo(useRole(), 'build');
  const call = callId.test(words)
    ? [
        {
          id: words,
          label: `Receipt of ${words}`,
          leftSection: <IconReceipt size={18} aria-hidden />,
          onClick: goTo(paths.request(words)),
        },
      ]
    : [];
  const often: SpotlightActionData[] = [
    {
      id: 'copy-base-url',
      label: 'Copy the base URL',
      description: proxyBaseUrl(),
      keywords: 'endpoint address api',
      leftSection: <IconCopy size={18} aria-hidden />,
      onClick: () => void copyBaseUrl(),
    },
    {
      id: 'colours',
      label: isDark ? 'Light colours' : 'Dark colours',
      keywords: 'theme mode night',
      leftSection: isDark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />,
      onClick: () => startTransition(() => setColorScheme(isDark ? 'light' : 'dark')),
    },
  ];
  const manageKeys = {
    id: 'manage-keys',
    label: 'Create or rotate a key',
    keywords: 'secret new',
    leftSection: <IconKey size={18} aria-hidden />,
    onClick: goTo(paths.keys()),
  };
  return [
    ...call,
    {
      group: 'Pages',
      actions: destinations.map(({ to, label, Icon, words: keywords }) => ({
        id: to,
        label,
        keywords,
        leftSection: <Icon size={18} aria-hidden />,
        onClick: goTo(to),
      })),
    },
    { group: 'Often done', actions: mayBuild ? [...often, manageKeys] : often },
    ...named,
  ];
}

/** The models that one can talk to, and the keys of the account. */
function useNamed(): SpotlightActionGroupData[] {
  const { data } = useQuery(PaletteDocument, { fetchPolicy: 'cache-first' });
  const navigate = useNavigate();
  const mayBuild = mayDo(useRole(), 'build');
  const models = (data?.models ?? []).filter(({ endpoint }) => mayBuild && endpoint === 'CHAT');
  return [
    {
      group: 'Try a model',
      actions: models.map(({ id, tier }) => ({
        id: `model ${id}`,
        label: id,
        description: `${tier} tier`,
        leftSection: <IconCpu size={18} aria-hidden />,
        onClick: () => void navigate(paths.playground(id)),
      })),
    },
    {
      group: 'Requests of a key',
      actions: (data?.apiKeys ?? []).map(({ id, name }) => ({
        id,
        label: name,
        leftSection: <IconKey size={18} aria-hidden />,
        onClick: () => void navigate(paths.requests(new URLSearchParams({ key: id }))),
      })),
    },
  ];
}

async function copyBaseUrl() {
  try {
    await navigator.clipboard.writeText(proxyBaseUrl());
    notifications.show({ title: 'Copied', message: proxyBaseUrl() });
  } catch {
    notifications.show({ color: 'red', title: 'The browser did not allow copying', message: proxyBaseUrl() });
  }
}
