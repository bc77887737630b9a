import { useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { ErrorPanel } from '../../../components/error-panel';
import { PageHeader } from '../../../components/page-header';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import { AccountLink } from '../account-link';
import { AttentionCard } from '../attention-card';
import { CreditRequests } from '../money/credit-requests';
import type { May } from '../operator-console';
import { nameMark } from './use-set-risk-mark';

const FindAccountsDocument = graphql(`
  query OperatorFindAccounts($text: String!) {
    operator {
      accounts(text: $text) {
        by
        account {
          id
          email
          name
          closedAt
          markedAs
        }
      }
    }
  }
`);

/** What an operator looks at first: what is wrong now, and a search for an account by what a letter quotes. What is looked for stands in the address, so that Back comes back to it. */
export function AccountSearch({ may }: { may: May }) {
  const [search, setSearch] = useSearchParams();
  const text = search.get('find') ?? '';
  const [draft, setDraft] = useState(text);
  // Back leads to another search, and the field says what is shown.
  useEffect(() => setDraft(text), [text]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSearch(draft.trim() === '' ? {} : { find: draft.trim() });
  };
  return (
    <>
      <PageHeader title="Overview" description="What needs attention now, and every account." />
      <Stack gap="lg">
        <form onSubmit={submit} aria-label="Find an account">
          <Group align="flex-end" gap="sm">
            <TextInput
              name="account"
              label="Find an account"
              description="By e-mail, name, masked key, or the id of an account, call, purchase or payment."
              type="search"
              value={draft}
              onChange={(event) => setDraft(event.currentTarget.value)}
              flex="1 1 12rem"
              miw={0}
            />
            <Button type="submit" size="md">
              Find
            </Button>
          </Group>
        </form>
        {text === '' ? (
          <>
            <AttentionCard />
            <CreditRequests may={may} />
          </>
        ) : (
          <Found text={text} />
        )}
      </Stack>
    </>
  );
}

function Found({ text }: { text: string }) {
  const { data, error, refetch } = useQuery(FindAccountsDocument, { variables: { text } });
  if (error && !data) return <ErrorPanel title="The search failed" error={error} onRetry={refetch} />;
  if (!data) return <RecordSkeleton />;
  const { accounts } = data.operator;
  if (accounts.length === 0) {
    return <Text role="status">No account found. E-mail addresses and names are matched from their beginning.</Text>;
  }
  return (
    <SectionCard title="Found">
      <RecordTable
        label="Accounts"
        rows={accounts}
        keyOf={({ account }) => account.id}
        columns={[
          {
            header: 'E-mail',
            card: 'title',
            cell: ({ account }) => <AccountLink id={account.id}>{account.email}</AccountLink>,
          },
          { header: 'Name', cell: ({ account }) => account.name },
          { header: 'Found by', cell: ({ by }) => by },
          { header: 'Marks', cell: ({ account }) => account.markedAs.map(nameMark).join(', ') || 'none' },
          { header: 'State', cell: ({ account }) => (account.closedAt ? 'deleted' : 'active') },
        ]}
      />
    </SectionCard>
  );
}
