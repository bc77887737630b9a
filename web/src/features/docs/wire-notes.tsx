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
            Its tokens, prompt and answer, at the price of the model’s tier. You find it in the header{' '}
            <Code>x-credits-charged</Code>, and <Code>usage.credits</Code> in the body or in the last chunk.
          </dd>
          <dt>Streams</dt>
          <dd>
            <Code>[DONE]</Code> means complete and billed. A stream that breaks ends with an error and no such line, and
            you pay only for what was delivered.
          </dd>
          <dt>Failures</dt>
          <dd>A call that produced nothing is free. Nobody is charged twice for one answer, even after retries.</dd>
          <dt>The same call twice</dt>
          <dd>
            Send the header <Code>Idempotency-Key</Code>: the same key and body within 24 hours return the same answer,
            billed once.
          </dd>
          <dt>Another provider</dt>
          <dd>
            A model’s name is answered by its first healthy provider; <Code>provider/model</Code> asks for a specific
            one.
          </dd>
        </dl>
      </SectionCard>
      <SectionCard title="Error codes">
        <dl className={classes.notes}>
          <dt>401 invalid_api_key</dt>
          <dd>The key is mistyped, revoked or expired. Create or rotate one on the keys page.</dd>
          <dt>402 insufficient_quota</dt>
          <dd>
            The most this call could cost is above your balance. The body says how many tokens you can afford; buy
            credits or lower <Code>max_tokens</Code>.
          </dd>
          <dt>402 credits_reserved</dt>
          <dd>
            Running calls have reserved the rest. Wait for them to finish; the header <Code>retry-after</Code> says how
            long.
          </dd>
          <dt>429 rate_limit_exceeded</dt>
          <dd>
            Too many requests in a minute. Every answer says how many are left, in{' '}
            <Code>x-ratelimit-remaining-requests</Code>.
          </dd>
          <dt>5xx</dt>
          <dd>The provider failed before it sent an answer. The call was free; try again.</dd>
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
