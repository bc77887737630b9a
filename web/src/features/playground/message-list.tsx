import { useQuery } from '@apollo/client/react';
import { Anchor, Text } from '@mantine/core';
import { Fragment, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { CopyButton } from '../../components/buttons/copy-button';
import { RetryButton } from '../../components/buttons/retry-button';
import { CodeBlock } from '../../components/code-block';
import { IconAlertCircle } from '../../components/icons';
import { MarkdownText } from '../../components/markdown-text';
import { graphql } from '../../gql';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import { formatDuration } from '../../lib/format/format-time';
import { groupTurns } from '../../lib/playground/answer-groups';
import type { AnswerFigures } from '../../lib/playground/ask-model';
import type { Turn } from '../../lib/playground/turn';
import { useNewestInSight } from '../../lib/requests/use-newest-in-sight';
import classes from './playground.module.css';

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

interface MessageListProps {
  turns: readonly Turn[];
  arriving: readonly Turn[];
  /** Sends the last question once more; null while nothing can be sent. */
  onAskAgain: (() => Promise<void>) | null;
}

/** The conversation; the last answers may still be arriving. Those to one question lie side by side. */
export function MessageList({ turns, arriving, onAskAgain }: MessageListProps) {
  const groups = groupTurns([...turns, ...arriving]);
  const hasFailed = arriving.length === 0 && groups.at(-1)?.answers.some(({ fault }) => fault !== undefined);
  const log = useRef<HTMLDivElement>(null);
  useNewestInSight(`${turns.length} ${arriving.map(({ content }) => content.length).join()}`, log);
  return (
    <div ref={log} role="log" aria-label="Conversation" aria-busy={arriving.length > 0} className={classes.log}>
      {groups.map(({ question, answers }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: questions are only added at the end
        <Fragment key={index}>
          <Message turn={question} />
          <div className={classes.answers}>
            {answers.map((answer) => (
              <Message key={answer.model} turn={answer} isArriving={arriving.includes(answer) && !isOver(answer)} />
            ))}
          </div>
        </Fragment>
      ))}
      {hasFailed && onAskAgain && (
        <div>
          <RetryButton variant="default" onRetry={onAskAgain} />
        </div>
      )}
    </div>
  );
}

// Beside others that still arrive, an answer may have come to its end.
function isOver({ figures, fault, isStopped }: Turn): boolean {
  return figures !== undefined || fault !== undefined || isStopped === true;
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
      {turn.images && (
        <div className={classes.pictures}>
          {turn.images.map((url, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what was sent does not change
            <img key={index} src={url} alt={`${index + 1} of the question`} />
          ))}
        </div>
      )}
      {turn.figures?.toolCalls?.map(({ name, input }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was answered does not change
        <div key={index} className={classes.toolCall}>
          <Text size="sm" c="dimmed">
            Calls the tool {name}. Your program would run it and send back the result.
          </Text>
          <CodeBlock code={input} what={`input of ${name}`} />
        </div>
      ))}
      {turn.fault && (
        <p className={classes.fault} role="alert">
          <IconAlertCircle size={18} aria-hidden />
          <span>
            {turn.fault}
            {turn.faultCode === 'insufficient_quota' && (
              <>
                {' '}
                <Anchor component={Link} to={paths.credits()} inherit underline="always">
                  Buy credits
                </Anchor>
              </>
            )}
          </span>
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
          <TokensPerSecond {...figures} />
          {figures.finishReason === 'length' && <span>cut off at the max output tokens</span>}
        </>
      )}
      {isStopped && callId && <StoppedFigures callId={callId} />}
      {callId && (
        <Anchor component={Link} to={paths.request(callId)} inherit underline="always" className="lone-link">
          Receipt
        </Anchor>
      )}
    </footer>
  );
}

function TokensPerSecond({ completionTokens, firstTokenMs, totalMs }: AnswerFigures) {
  const writingMs = totalMs - firstTokenMs;
  // What comes in one piece says nothing of how fast it was written.
  if (completionTokens < 2 || writingMs < 50) return null;
  return <span>{groupThousands(Math.round((completionTokens * 1_000) / writingMs))} tokens/s</span>;
}

/** What a stopped answer cost: the server knows it some seconds later, or when a provider that does not stop has ended. */
function StoppedFigures({ callId }: { callId: string }) {
  const { data, stopPolling } = useQuery(StoppedCallDocument, {
    variables: { id: callId },
    pollInterval: 1_000,
  });
  const call = data?.call;
  useEffect(() => {
    if (call) stopPolling();
  }, [call, stopPolling]);
  if (!call) return <span>Stopped. The price appears in a few seconds …</span>;
  return (
    <span>
      Stopped after {groupThousands(call.completionTokens)} tokens: {formatCredits(call.charged)} credits for what was
      written
    </span>
  );
}
