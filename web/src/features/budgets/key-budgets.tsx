import { Progress, Text } from '@mantine/core';
import { paths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { IconKey } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { SectionCard } from '../../components/section-card';
import type { BudgetsQuery, SpendPeriod } from '../../gql/graphql';
import { formatCredits, toMillicredits } from '../../lib/format/format-credits';
import { formatUtcDay, formatUtcMinute } from '../../lib/format/format-time';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { type BurnDown, burnDown } from '../../lib/reports/runway';
import { measure, type UsageSums } from '../../lib/reports/usage-series';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
import classes from './budgets.module.css';

type ApiKey = BudgetsQuery['apiKeys'][number];

interface KeyBudgetsProps {
  apiKeys: readonly ApiKey[];
  /** Of the last seven days. */
  groups: readonly { readonly key: string; readonly sums: UsageSums }[];
  nowMs: number;
}

const periodWords: Readonly<Record<SpendPeriod, string>> = { DAY: 'a day', WEEK: 'a week', MONTH: 'a month' };

/** What each key has used of its budget, and when it stops at this pace. */
export function KeyBudgets({ apiKeys, groups, nowMs }: KeyBudgetsProps) {
  const mayChange = mayDo(useRole(), 'build');
  const rows = apiKeys.filter((key) => !key.revokedAt && typeof key.spendLimit === 'number');
  const spentBy = new Map(groups.map(({ key, sums }) => [key, measure(sums, 'credits')]));
  return (
    <SectionCard
      title="Budgets of keys"
      description="You get an alert at 50, 80 and 100 %. A key that has used up its budget is refused until the next period begins, in UTC."
      action={
        mayChange && (
          <LinkButton to={paths.keys()} variant="default" size="xs">
            Change budgets
          </LinkButton>
        )
      }
    >
      {rows.length === 0 ? (
        <EmptyState icon={<IconKey size={24} />} title="No key has a budget">
          A budget limits what a key may spend in a day, a week or a month.
          {mayChange && ' You can set one when you create or change a key.'}
        </EmptyState>
      ) : (
        <ul className={classes.keys} aria-label="Budgets of keys">
          {rows.map((key) => (
            <KeyLine key={key.id} apiKey={key} spentInWeek={spentBy.get(key.id) ?? 0} nowMs={nowMs} />
          ))}
        </ul>
      )}
    </SectionCard>
  );
}

function KeyLine({ apiKey, spentInWeek, nowMs }: { apiKey: ApiKey; spentInWeek: number; nowMs: number }) {
  const { name, spendLimit, spendPeriod, spentInPeriod, spendResetsAt, createdAt } = apiKey;
  const [limit, spent] = [Number(toMillicredits(spendLimit ?? 0)), Number(toMillicredits(spentInPeriod))];
  const resetsAtMs = spendResetsAt ? Date.parse(spendResetsAt) : nowMs;
  const end = burnDown({ limit, spent, resetsAtMs, createdAtMs: Date.parse(createdAt), spentInWeek }, nowMs);
  const percent = limit === 0 ? 100 : Math.min(100, Math.floor((spent / limit) * 100));
  return (
    <li>
      <div className={classes.keyHead}>
        <Text fw={600} className={classes.name}>
          {name}
        </Text>
        <Text size="sm" className="numeric">
          {formatCredits(spentInPeriod)} of {formatCredits(spendLimit ?? 0)} credits{' '}
          {spendPeriod ? periodWords[spendPeriod] : ''} · {percent} %
        </Text>
      </div>
      <Progress
        value={percent}
        color={percent >= 100 ? 'red' : percent >= 80 ? 'amber' : 'pine'}
        aria-label={`Budget of ${name}`}
      />
      <Text
        size="sm"
        c="dimmed"
        mt={4}
        title={end.state === 'stops' ? formatUtcMinute(new Date(end.atMs).toISOString()) : undefined}
      >
        {endWords(end, name, spendResetsAt ?? null)}
      </Text>
    </li>
  );
}

function endWords(end: BurnDown, name: string, resetsAt: string | null): string {
  const anew = resetsAt === null ? '' : formatUtcMinute(resetsAt);
  if (end.state === 'used up') return `${nameInSentence(name)} is stopped until ${anew}.`;
  if (end.state === 'lasts')
    return `At the pace of the last 7 days it lasts until ${anew}, when the next period begins.`;
  return `At the pace of the last 7 days ${nameInSentence(name)} stops on ${formatUtcDay(new Date(end.atMs).toISOString())}, before ${anew}.`;
}
