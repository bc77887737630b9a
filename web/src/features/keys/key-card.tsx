import { Anchor, Button, Group, Progress, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { RelativeTime } from '../../components/relative-time';
import { StatusBadge } from '../../components/status-badge';
import { formatCredits, toMillicredits } from '../../lib/format/format-credits';
import { formatAbsoluteTime, formatUtcMinute } from '../../lib/format/format-time';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { keySentence } from '../../lib/key-sentence';
import { useNow } from '../../lib/use-now';
import { toKeyDraft } from './key-draft';
import classes from './keys.module.css';
import type { ApiKey } from './keys-document';

export type KeyAction = 'change' | 'rotate' | 'revoke';

interface KeyCardProps {
  apiKey: ApiKey;
  onAct: (action: KeyAction, apiKey: ApiKey) => void;
}

/** One key: what it may do, what it has spent, and what one may do with it. */
export function KeyCard({ apiKey, onAct }: KeyCardProps) {
  const now = useNow(30_000);
  const hasExpired = Boolean(apiKey.expiresAt && new Date(apiKey.expiresAt) <= now);
  const isInForce = !apiKey.revokedAt;
  const isInGrace = Boolean(isInForce && apiKey.graceEndsAt && new Date(apiKey.graceEndsAt) > now);
  return (
    <li className={classes.card} data-ended={!isInForce || hasExpired}>
      <div className={classes.head}>
        <div className={classes.title}>
          <Title order={3}>{apiKey.name}</Title>
          <KeyStatus isInForce={isInForce} hasExpired={hasExpired} isUsedUp={hasUsedBudget(apiKey)} />
        </div>
        {isInForce && apiKey.mayChange && (
          <Group gap="xs" className={classes.actions}>
            {(['change', 'rotate', 'revoke'] as const).map((action) => (
              <Button
                key={action}
                variant="default"
                size="xs"
                onClick={() => onAct(action, apiKey)}
                aria-label={`${actionWords[action]} ${apiKey.name}`}
              >
                {actionWords[action]}
              </Button>
            ))}
          </Group>
        )}
      </div>
      <div className={classes.facts}>
        <code className="unbroken">{apiKey.maskedSecret}</code>
        <span>
          Created <RelativeTime at={apiKey.createdAt} />
          {apiKey.madeBy !== null && ` by ${nameInSentence(apiKey.madeBy)}`}
        </span>
        <span>{apiKey.lastUsedAt ? <>Used {<RelativeTime at={apiKey.lastUsedAt} />}</> : 'Never used'}</span>
        {apiKey.lastUsedAt && (
          <Anchor
            component={Link}
            to={paths.requests(new URLSearchParams({ key: apiKey.id }))}
            inherit
            className="lone-link"
            aria-label={`Requests of ${apiKey.name}`}
          >
            Requests
          </Anchor>
        )}
        {apiKey.revokedAt && (
          <span>
            Revoked <RelativeTime at={apiKey.revokedAt} />
          </span>
        )}
      </div>
      {isInForce && (
        <>
          <Text size="sm">{keySentence(toKeyDraft(apiKey))}</Text>
          <Spent apiKey={apiKey} />
          {isInGrace && apiKey.graceEndsAt && (
            <Text size="sm" c="dimmed">
              The secret before the last rotation works until {formatAbsoluteTime(apiKey.graceEndsAt)}.
            </Text>
          )}
        </>
      )}
    </li>
  );
}

const actionWords: Record<KeyAction, string> = { change: 'Change', rotate: 'Rotate', revoke: 'Revoke' };

interface KeyStatusProps {
  isInForce: boolean;
  hasExpired: boolean;
  isUsedUp: boolean;
}

function KeyStatus({ isInForce, hasExpired, isUsedUp }: KeyStatusProps) {
  if (!isInForce) return <StatusBadge color="gray">Revoked</StatusBadge>;
  if (hasExpired) return <StatusBadge color="amber">Expired</StatusBadge>;
  return isUsedUp ? (
    <StatusBadge color="amber">Budget used</StatusBadge>
  ) : (
    <StatusBadge color="pine">Active</StatusBadge>
  );
}

/** Its calls are refused until its next period begins. */
function hasUsedBudget({ spendLimit, spentInPeriod }: ApiKey): boolean {
  return typeof spendLimit === 'number' && toMillicredits(spentInPeriod) >= toMillicredits(spendLimit);
}

function Spent({ apiKey: { spendLimit, spentInPeriod, spendResetsAt, name } }: { apiKey: ApiKey }) {
  if (typeof spendLimit !== 'number') {
    return (
      <Text size="sm" c="dimmed" className="numeric">
        {formatCredits(spentInPeriod)} credits spent this month
      </Text>
    );
  }
  const limit = toMillicredits(spendLimit);
  const percent = limit > 0n ? Number((toMillicredits(spentInPeriod) * 100n) / limit) : 100;
  return (
    <div>
      <Progress
        value={Math.min(100, percent)}
        color={percent >= 100 ? 'red' : percent >= 80 ? 'amber' : 'pine'}
        aria-label={`Spent of the limit of ${name}`}
        mb={6}
      />
      <Text size="sm" c="dimmed" className="numeric">
        {formatCredits(spentInPeriod)} of {formatCredits(spendLimit)} credits spent
        {spendResetsAt && `; resets on ${formatUtcMinute(spendResetsAt)}`}
      </Text>
    </div>
  );
}
