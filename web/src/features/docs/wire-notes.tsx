import { Anchor, Code, Group } from '@mantine/core';
import { serverPaths } from '../../app/paths';
import { SectionCard } from '../../components/section-card';
import classes from './docs.module.css';

/** What a program may rely on, in a screenful. */
export function WireNotes() {
  return (
    <>
      <SectionCard title="What you can rely on">
        <dl className={classes.notes}>
          <dt>What a call costs</dt>
          <dd>
            Its tokens, prompt and answer, at the price of the model’s tier. The answer says it: header{' '}
            <Code>x-credits-charged</Code>, and <Code>usage.credits</Code> in the body or in the last chunk.
          </dd>
          <dt>Streams</dt>
          <dd>
            <Code>[DONE]</Code> means complete and billed. A stream that breaks ends with an error and without it, and
            only what was delivered is charged.
          </dd>
          <dt>Failures</dt>
          <dd>A call that produced nothing is free. Nobody is charged twice for one answer, retries included.</dd>
          <dt>The same call twice</dt>
          <dd>
            Send the header <Code>Idempotency-Key</Code>: the same key and body within a day get the same answer again,
            billed once.
          </dd>
          <dt>Another provider</dt>
          <dd>
            A model’s name takes its first healthy provider; <Code>provider/model</Code> asks for one of them.
          </dd>
        </dl>
      </SectionCard>
      <SectionCard title="When it says no">
        <dl className={classes.notes}>
          <dt>401 invalid_api_key</dt>
          <dd>The key is mistyped, revoked or expired. Make or rotate it on the keys page.</dd>
          <dt>402 insufficient_quota</dt>
          <dd>
            The worst case of the call is more than your balance. The body names the most tokens you can afford; buy
            credits or lower <Code>max_tokens</Code>.
          </dd>
          <dt>402 credits_reserved</dt>
          <dd>
            Running calls hold the rest. Wait for them; the header <Code>retry-after</Code> says how long.
          </dd>
          <dt>429 rate_limit_exceeded</dt>
          <dd>
            Too many requests in a minute. Every answer tells where you stand in{' '}
            <Code>x-ratelimit-remaining-requests</Code>.
          </dd>
          <dt>5xx</dt>
          <dd>The provider failed before it answered anything. It was free; try again.</dd>
        </dl>
        <Group gap="lg" mt="md">
          <Anchor href={serverPaths.openapi()} size="sm" className="lone-link">
            API of the proxy (OpenAPI)
          </Anchor>
          <Anchor href={serverPaths.schemaPage()} size="sm" className="lone-link">
            API of the dashboard (GraphQL)
          </Anchor>
        </Group>
      </SectionCard>
    </>
  );
}
