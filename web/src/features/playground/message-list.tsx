import { useQuery } from '@apollo/client/react';
import { Anchor, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { CopyButton } from '../../components/copy-button';
import { MarkdownText } from '../../components/markdown-text';
import { graphql } from '../../gql';
import { formatCredits, groupThousands } from '../../lib/format-credits';
import { formatDuration } from '../../lib/format-time';
import { useNewestInSight } from '../../lib/use-newest-in-sight';
import classes from './playground.module.css';
import type { Turn } from './use-chat';

const StoppedCallDocument = graphql(`
  query StoppedCall($id: ID!) {
    call(id: $id) {
      id
      charged
      promptTokens
      completionTokens
    }
  }
`);

/** The conversation; the last answer may still be arriving. */
export function MessageList({ turns, arriving }: { turns: readonly Turn[]; arriving: Turn | null }) {
  useNewestInSight(`${turns.length} ${arriving?.content.length ?? ''}`);
  return (
    <div role="log" aria-label="Conversation" aria-busy={arriving !== null} className={classes.log}>
      {turns.map((turn, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added at the end
        <Message key={index} turn={turn} />
      ))}
      {arriving !== null && <Message turn={arriving} isArriving />}
    </div>
  );
}

function Message({ turn, isArriving = false }: { turn: Turn; isArriving?: boolean }) {
  const isAnswer = turn.role === 'assistant';
  return (
    <article
      className={classes.message}
      data-role={turn.role}
      aria-label={isAnswer ? `Answer of ${turn.model}` : 'You'}
    >
      <header className={classes.messageHead}>
        <span>{isAnswer ? turn.model : 'You'}</span>
        {isAnswer && turn.content !== '' && !isArriving && <CopyButton value={turn.content} what="answer" />}
      </header>
      {isArriving && turn.content === '' ? (
        <Text c="dimmed">Waiting for the first token …</Text>
      ) : (
        <>
          {isAnswer ? <MarkdownText text={turn.content} /> : <p className={classes.text}>{turn.content}</p>}
          {isArriving && <span className={classes.caret} aria-hidden="true" />}
        </>
      )}
      {turn.fault && (
        <p className={classes.fault} role="alert">
          <IconAlertCircle size={18} aria-hidden />
          <span>{turn.fault}</span>
        </p>
      )}
      {isAnswer && !isArriving && <Figures turn={turn} />}
    </article>
  );
}

function Figures({ turn: { figures, callId, isStopped } }: { turn: Turn }) {
  return (
    <footer className={classes.figures}>
      {figures && (
        <>
          <span>
            {groupThousands(figures.promptTokens)} in, {groupThousands(figures.completionTokens)} out
          </span>
          {figures.credits !== null && <span>{formatCredits(figures.credits)} credits</span>}
          <span>TTFT {formatDuration(figures.firstTokenMs)}</span>
          <span>{formatDuration(figures.totalMs)} total</span>
          {figures.finishReason === 'length' && <span>cut at the max output tokens</span>}
        </>
      )}
      {isStopped && callId && <StoppedFigures callId={callId} />}
      {callId && (
        <Anchor component={Link} to={paths.calls(callId)} inherit underline="always">
          Receipt
        </Anchor>
      )}
    </footer>
  );
}

/** What a stopped answer cost: the server knows it some seconds later, or when a provider that does not stop has ended. */
function StoppedFigures({ callId }: { callId: string }) {
  const { data, stopPolling } = useQuery(StoppedCallDocument, {
    variables: { id: callId },
    pollInterval: 1_000,
    fetchPolicy: 'cache-and-network',
  });
  const call = data?.call;
  useEffect(() => {
    if (call) stopPolling();
  }, [call, stopPolling]);
  if (!call) return <span>Stopped. The price follows in some seconds …</span>;
  return (
    <span>
      Stopped after {groupThousands(call.completionTokens)} tokens: {formatCredits(call.charged)} credits for what had
      been written
    </span>
  );
}
