import { useApolloClient, useMutation } from '@apollo/client/react';
import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { paths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { IconCheck } from '../../components/icons';
import { graphql } from '../../gql';
import type { AccountMenuQuery } from '../../gql/graphql';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { failureWords } from '../../lib/forms/lost-answers';
import { isRefusal } from '../../lib/graphql-error-message';
import { onSwitchElsewhere, tellOfSwitch } from '../../lib/session/account-switch';
import { askViewer } from '../../lib/session/ask-viewer';
import { roleWords } from '../../lib/session/roles';
import { endSessionOfTab } from '../../lib/session/session-end';
import classes from './account-menu.module.css';

const SwitchAccountDocument = graphql(`
  mutation SwitchAccount($accountId: ID!) {
    switchAccount(accountId: $accountId)
  }
`);

const whenFailed = {
  refused: 'The account was not switched',
  whether: 'which account you are using now',
  remedy: 'Reload this page before you continue. It shows the current account.',
};

type Account = NonNullable<AccountMenuQuery['person']>['accounts'][number];

/** The accounts of whoever is signed in, to choose the one that is shown and acted on. */
export default function AccountSwitcher({ accounts }: { accounts: readonly Account[] }) {
  const client = useApolloClient();
  const [switchAccount, { loading }] = useMutation(SwitchAccountDocument);
  useEffect(
    () =>
      onSwitchElsewhere(() => {
        endSessionOfTab();
        window.location.assign(paths.overview());
      }),
    [],
  );

  async function choose({ accountId }: Account) {
    try {
      await switchAccount({ variables: { accountId } });
    } catch (error) {
      // Its answer may have been lost: whoever went on here would act for another account than the page shows.
      if (isRefusal(error) || (await askViewer(client))?.accountId !== accountId) {
        notifications.show({ color: 'red', ...failureWords(error, whenFailed) });
        // Other pages look for themselves.
        if (!isRefusal(error)) tellOfSwitch(accountId);
        return;
      }
    }
    endSessionOfTab();
    tellOfSwitch(accountId);
    // A whole new page: nothing of the other account stays in memory.
    window.location.assign(paths.overview());
  }

  return (
    <>
      <Text size="sm" fw={600} id="accounts-of-menu">
        Accounts
      </Text>
      <ul className={classes.accounts} aria-labelledby="accounts-of-menu">
        {accounts.map((account) => (
          <li key={account.accountId}>
            <BusyButton
              variant="subtle"
              color="gray"
              fullWidth
              justify="space-between"
              isBusy={loading}
              aria-current={account.isCurrent || undefined}
              rightSection={account.isCurrent ? <IconCheck size={16} aria-hidden /> : null}
              onClick={() => void choose(account)}
            >
              {nameInSentence(account.name)} ({roleWords[account.role]})
            </BusyButton>
          </li>
        ))}
      </ul>
    </>
  );
}
