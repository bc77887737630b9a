import { formatAbsoluteTime, formatRelativeTime, formatUtcTime } from '../lib/format/format-time';
import { useNow } from '../lib/use-now';

interface RelativeTimeProps {
  at: string;
  /** Another way to write it, such as one that tells the lines of a log apart. */
  format?: (at: string, now: Date) => string;
}

/** How long ago something was; hovering shows the instant in local time and in UTC. */
export function RelativeTime({ at, format = formatRelativeTime }: RelativeTimeProps) {
  const now = useNow(15_000);
  return (
    <time dateTime={at} title={`${formatAbsoluteTime(at)} (${formatUtcTime(at)})`} className="numeric unbroken">
      {format(at, now)}
    </time>
  );
}
