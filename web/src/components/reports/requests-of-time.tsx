import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { formatBucket } from '../../lib/reports/bucket-name';
import type { Bucket } from '../../lib/reports/time-range';

interface RequestsOfTimeProps {
  /** When the bar begins, in UTC. */
  start: string;
  bucket: Bucket;
  to: string;
}

/** The name of a bar in the table beside its chart, leading to the requests of that time: what a press on the bar does, by keyboard. */
export function RequestsOfTime({ start, bucket, to }: RequestsOfTimeProps) {
  const name = formatBucket(start, bucket);
  return (
    <Anchor component={Link} to={to} inherit className="lone-link" aria-label={`Show requests of ${name} UTC`}>
      {name}
    </Anchor>
  );
}
