import { useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyableId } from '../../../components/copyable-id';
import { ErrorPanel } from '../../../components/error-panel';
import { PageHeader } from '../../../components/page-header';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton } from '../../../components/tables/record-table';
import type { OperatorAccountPageQuery } from '../../../gql/graphql';
import { formatCredits } from '../../../lib/format/format-credits';
import { wholeBalance } from '../../../lib/format/whole-balance';
import { type Act, ActDialog } from '../act-dialog';
import { ChangeList } from '../change-list';
import { useRefund } from '../money/use-refund';
import classes from '../operator.module.css';
import type { May } from '../operator-console';
import { OperatorAccountDocument } from './account-document';
import { AccountRecords } from './account-records';
import { RiskMarks } from './risk-marks';
import { useAccountActs, useAssignPriceGroup } from './use-account-acts';
import { describeLimits, useSetAccountLimits } from './use-account-limits';
import { useCustomerView } from './use-customer-view';
import { useDeleteAccount } from './use-delete-account';
import { useExportAccount } from './use-export-account';

export type ShownAccount = NonNullable<OperatorAccountPageQuery['operator']['account']>;

/** All that is known of an account, and what can be done about it. */
export function AccountPage({ accountId, may }: { accountId: string; may: May }) {
  const { data, error, refetch } = useQuery(OperatorAccountDocument, { variables: { id: accountId } });
  const [act, setAct] = useState<Act | null>(null);
  const assignPriceGroup = useAssignPriceGroup(accountId, refetch);
  const setAccountLimits = useSetAccountLimits(accountId, data?.operator.account?.limits, refetch);
  const beginCustomerView = useCustomerView(accountId, data?.operator.account?.email ?? '');
  const wallet = data?.operator.account?.wallet;
  const deleteAccount = useDeleteAccount(accountId, wallet ? wholeBalance(wallet) : 0, refetch);
  const exportAccount = useExportAccount(accountId);
  const settings = { assignPriceGroup, setAccountLimits, beginCustomerView, exportAccount, deleteAccount };
  const acts = { ...useAccountActs(accountId, refetch), ...settings };
  const toRefund = useRefund(refetch);
  if (error && !data) return <ErrorPanel title="The account could not be loaded" error={error} onRetry={refetch} />;
  if (!data) return <RecordSkeleton rows={8} />;
  const { account } = data.operator;
  if (!account) return <PageHeader title="No such account" description="Check the id, or search again." />;
  const button = (
    name:
      | 'grantCredits'
      | 'takeBackCredits'
      | 'freezeAccount'
      | 'openAccount'
      | 'endSessions'
      | 'createResetLink'
      | 'assignPriceGroup'
      | 'setAccountLimits'
      | 'beginCustomerView'
      | 'exportAccount'
      | 'deleteAccount',
  ) =>
    may(name) && (
      <Button size="xs" variant="default" onClick={() => setAct(acts[name])}>
        {acts[name].label}
      </Button>
    );
  return (
    <>
      <PageHeader title={account.email} description={account.name} />
      <Stack gap="lg">
        <RiskMarks accountId={accountId} may={may} isOpen={account.closedAt === null} onChange={refetch} />
        <SectionCard title="Account">
          <Facts account={account} />
          {account.closedAt === null && (
            <Group gap="xs" mt="md">
              {button('grantCredits')}
              {button('takeBackCredits')}
              {account.wallet.isFrozen ? button('openAccount') : button('freezeAccount')}
              {button('assignPriceGroup')}
              {button('setAccountLimits')}
              {button('endSessions')}
              {button('createResetLink')}
              {button('beginCustomerView')}
              {button('exportAccount')}
              {button('deleteAccount')}
            </Group>
          )}
        </SectionCard>
        <AccountRecords
          account={account}
          onRevokeKey={may('revokeKey') ? (keyId) => setAct(acts.revokeKey(keyId)) : null}
          onRefund={may('refundPurchase') ? (purchase) => setAct(toRefund(purchase)) : null}
        />
        <SectionCard title="Operator actions">
          {account.changes.length === 0 ? (
            <Text size="sm">Nothing yet.</Text>
          ) : (
            <ChangeList changes={account.changes} />
          )}
        </SectionCard>
      </Stack>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </>
  );
}

function Facts({ account }: { account: ShownAccount }) {
  const { available, held, debt, isFrozen, frozenFor } = account.wallet;
  const state = isFrozen ? `frozen for ${frozenFor.join(', ')}` : 'open';
  const facts = [
    ['Available', `${formatCredits(available)} credits`],
    ['Held', `${formatCredits(held)} credits`],
    ...(debt > 0 ? [['Debt', `${formatCredits(debt)} credits`]] : []),
    ['State', account.closedAt === null ? state : 'deleted'],
    ['Price', describePrice(account.priceGroup)],
    ['Limits', describeLimits(account.limits)],
    ['E-mail', account.emailVerifiedAt === null ? 'not verified' : 'verified'],
  ];
  return (
    <dl className={classes.figures}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div>
        <dt>Since</dt>
        <dd>
          <RelativeTime at={account.createdAt} />
        </dd>
      </div>
      <div>
        <dt>Id</dt>
        <dd>
          <CopyableId id={account.id} what="the account’s id" />
        </dd>
      </div>
    </dl>
  );
}

function describePrice(group: ShownAccount['priceGroup']): string {
  return group ? `${group.name}: ${group.multiplier / 10} % of the list price` : 'list price';
}
