import { Button, Text } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { CopyableId } from '../../components/copyable-id';
import { OutcomeBadge } from '../../components/outcome-badge';
import type { CallReceiptQuery, UsageSource } from '../../gql/graphql';
import { outcomeWords } from '../../lib/call-outcome';
import { formatCredits, formatCreditsAligned, groupThousands } from '../../lib/format-credits';
import { formatAbsoluteTime, formatDuration, formatUtcTime } from '../../lib/format-time';
import { formatTokenCost } from '../../lib/token-cost';
import classes from './call-receipt.module.css';

type Call = NonNullable<CallReceiptQuery['call']>;

const sourceWords: Record<UsageSource, string> = {
  REPORTED: 'Reported by the provider',
  ESTIMATED: 'Estimated, because the provider did not report',
  NONE: 'None',
};

/** The itemised receipt: what was used, at which price, and who paid. */
export function CallReceipt({ call }: { call: Call }) {
  return (
    <div className={classes.receipt}>
      <OutcomeBadge outcome={call.outcome} />
      <Text size="sm" c="dimmed" mt="xs">
        {outcomeWords[call.outcome].meaning}
      </Text>
      <PriceBreakdown call={call} />
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
        <Fact name="Key">{call.apiKey ? <KeyName apiKey={call.apiKey} /> : 'None: asked on the playground'}</Fact>
        <Fact name="Token counts">{sourceWords[call.usageSource]}</Fact>
        <Fact name="Answer">{call.streamed ? 'Streamed' : 'In one piece'}</Fact>
        <Fact name="Finish reason">{call.finishReason ?? 'None'}</Fact>
        {call.tag && <Fact name="Tag">{call.tag}</Fact>}
        {call.endUser && <Fact name="End user">{call.endUser}</Fact>}
        {call.errorCode && <Fact name="Error">{call.errorCode}</Fact>}
        <Fact name="TTFT">{typeof call.firstByteMs === 'number' ? formatDuration(call.firstByteMs) : 'None'}</Fact>
        <Fact name="Duration">{formatDuration(call.totalMs)}</Fact>
        <Fact name="Reserved at first">{formatCredits(call.held)} credits</Fact>
        {typeof call.balanceAfter === 'number' && (
          <Fact name="Balance after">{formatCredits(call.balanceAfter)} credits</Fact>
        )}
      </dl>
      {call.estimateParts && <Estimate parts={call.estimateParts} isAbandoned={call.outcome === 'ABANDONED'} />}
      {call.attempts.length > 1 && <Attempts attempts={call.attempts} />}
      <Button
        mt="lg"
        variant="default"
        leftSection={<IconPrinter size={16} aria-hidden />}
        onClick={() => window.print()}
        className="not-printed"
      >
        Print
      </Button>
    </div>
  );
}

/** What an estimate is made of, and why there is one. */
function Estimate({ parts, isAbandoned }: { parts: NonNullable<Call['estimateParts']>; isAbandoned: boolean }) {
  const lines = [
    ['prompt', parts.promptTokens],
    ['images, at their bound', parts.imageTokens],
    ['answer as it was sent', parts.visibleTokens],
    ['reasoning', parts.reasoningTokens],
  ] as const;
  return (
    <>
      <Text fw={600} size="sm" mt="md" mb={6}>
        What the estimate is made of
      </Text>
      {isAbandoned && (
        <Text size="sm" c="dimmed" mb={6}>
          Leaving a stream costs the prompt and all that was made by then, as the provider would have counted it.
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

/** Who was asked before the answer came. Only the answer is charged. */
function Attempts({ attempts }: { attempts: Call['attempts'] }) {
  return (
    <>
      <Text fw={600} size="sm" mt="md" mb={6}>
        {attempts.length} attempts, charged once
      </Text>
      <ol className={classes.attempts}>
        {attempts.map(({ provider, upstreamModel, status, errorCode, durationMs }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one provider may have been asked twice
          <li key={index}>
            {provider}/{upstreamModel}: {errorCode ?? 'answered'}
            {typeof status === 'number' && ` (${status})`} after {formatDuration(durationMs)}
          </li>
        ))}
      </ol>
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

/** Tokens times price, line by line; the total is the server's own figure. */
function PriceBreakdown({ call }: { call: Call }) {
  const price = call.creditsPerThousandTokens;
  return (
    <table className={classes.prices}>
      <caption>
        {call.tier} tier: {formatCredits(price)} {price === 1 ? 'credit' : 'credits'} per 1,000 tokens
      </caption>
      <thead>
        <tr>
          <th scope="col">Tokens</th>
          <th scope="col">Credits</th>
        </tr>
      </thead>
      <tbody>
        <PriceLine
          name={`${groupThousands(call.promptTokens)} in`}
          credits={formatTokenCost(call.promptTokens, price)}
        />
        <PriceLine
          name={`${groupThousands(call.completionTokens)} out`}
          credits={formatTokenCost(call.completionTokens, price)}
        />
        {call.absorbed > 0 && <PriceLine name="Paid by the house" credits={formatCreditsAligned(-call.absorbed)} />}
      </tbody>
      <tfoot>
        <PriceLine name="Charged" credits={formatCreditsAligned(call.charged)} />
      </tfoot>
    </table>
  );
}

function PriceLine({ name, credits }: { name: string; credits: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{credits}</td>
    </tr>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
