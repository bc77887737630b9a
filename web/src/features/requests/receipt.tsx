import { Text } from '@mantine/core';
import { CopyableId } from '../../components/copyable-id';
import { OutcomeBadge } from '../../components/outcome-badge';
import type { CallReceiptQuery, UsageSource } from '../../gql/graphql';
import { groupThousands } from '../../lib/format/format-credits';
import { formatAbsoluteTime, formatDuration, formatUtcTime } from '../../lib/format/format-time';
import { findAdvice, findMeaning } from '../../lib/requests/call-outcome';
import { Fact } from './fact';
import { PriceBreakdown } from './price-breakdown';
import classes from './receipt.module.css';
import { RequestTimeline } from './request-timeline';
import { ShareReceipt } from './share-receipt';

type Call = NonNullable<CallReceiptQuery['call']>;

const sourceWords: Record<UsageSource, string> = {
  REPORTED: 'Reported by the provider',
  ESTIMATED: 'Estimated, because the provider did not report',
  NONE: 'None, the call is free',
};

/** The itemised receipt: what was used, at which price, and who paid. */
export function Receipt({ call }: { call: Call }) {
  return (
    <div className={classes.receipt}>
      <OutcomeBadge outcome={call.outcome} />
      <Text size="sm" c="dimmed" mt="xs">
        {findMeaning(call)} {findAdvice(call.errorCode ?? null)}
      </Text>
      <PriceBreakdown call={call} />
      <RequestTimeline call={call} />
      <dl className={classes.facts}>
        <Fact name="Call">
          <CopyableId id={call.id} what="call id" />
        </Fact>
        <Fact name="Started">
          {formatAbsoluteTime(call.startedAt)}
          <br />
          <span className={classes.quiet}>{formatUtcTime(call.startedAt)}</span>
        </Fact>
        <Fact name="Model">
          <CopyableId id={call.model} what="model" />
        </Fact>
        <Fact name="Provider">{call.provider}</Fact>
        <Fact name="Key">{call.apiKey ? <KeyName apiKey={call.apiKey} /> : 'None (playground)'}</Fact>
        <Fact name="Token counts">{sourceWords[call.usageSource]}</Fact>
        <Fact name="Answer">{call.streamed ? 'Streamed' : 'Not streamed'}</Fact>
        <Fact name="Finish reason">{call.finishReason ?? 'None'}</Fact>
        {typeof call.cachedTokens === 'number' && (
          <Fact name="Cached tokens in">{groupThousands(call.cachedTokens)}</Fact>
        )}
        {typeof call.reasoningTokens === 'number' && (
          <Fact name="Reasoning tokens out">{groupThousands(call.reasoningTokens)}</Fact>
        )}
        {call.tag && <Fact name="Tag">{call.tag}</Fact>}
        {call.endUser && <Fact name="End user">{call.endUser}</Fact>}
        {call.errorCode && <Fact name="Error">{call.errorCode}</Fact>}
        <Fact name="TTFT">{typeof call.firstByteMs === 'number' ? formatDuration(call.firstByteMs) : 'None'}</Fact>
        <Fact name="Duration">{formatDuration(call.totalMs)}</Fact>
      </dl>
      {call.estimateParts && <Estimate parts={call.estimateParts} isAbandoned={call.outcome === 'ABANDONED'} />}
      <ShareReceipt callId={call.id} />
    </div>
  );
}

/** What an estimate is made of, and why there is one. */
function Estimate({ parts, isAbandoned }: { parts: NonNullable<Call['estimateParts']>; isAbandoned: boolean }) {
  const lines = [
    ['prompt', parts.promptTokens],
    ['images, at their maximum', parts.imageTokens],
    ['answer as it was sent', parts.visibleTokens],
    ['reasoning', parts.reasoningTokens],
  ] as const;
  return (
    <>
      <Text fw={600} size="sm" mt="md" mb={6}>
        How the estimate was made
      </Text>
      {isAbandoned && (
        <Text size="sm" c="dimmed" mb={6}>
          If you leave a stream, you pay for the prompt and for everything written by then, as the provider would count
          it.
        </Text>
      )}
      <ul className={classes.attempts}>
        {lines
          .filter(([, tokens]) => tokens > 0)
          .map(([name, tokens]) => (
            <li key={name}>
              {groupThousands(tokens)} tokens: {name}
            </li>
          ))}
      </ul>
    </>
  );
}

function KeyName({ apiKey }: { apiKey: NonNullable<Call['apiKey']> }) {
  return (
    <>
      {apiKey.name}
      <br />
      <CopyableId id={apiKey.id} what="key id" />
    </>
  );
}
