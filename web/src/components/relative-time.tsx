import { formatAbsoluteTime, formatRelativeTime, formatUtcTime } from '../lib/format/format-time';
import { useNow } from '../lib/use-now';

/** How long ago something was; hovering shows the instant in local time and in UTC. */
export function RelativeTime({ at }: { at: string }) {
  const now = useNow(15_000);
  return (
    <time dateTime={at} title={`${formatAbsoluteTime(at)} (${formatUtcTime(at)})`} className="numeric unbroken">
      {formatRelativeTime(at, now)}
    </time>
  );
}
