import type { Announcement } from '../../announcements/announcements.js';
import { systemClock } from '../../kernel/clock.js';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, type ProgramOptions, UsageError } from '../operator-program.js';

export const announcementUsage = `  announcement list [--json] what the dashboard shows to everybody, now and later
  announcement add "<text>" --reason "…" [--from 2026-12-31T22:00:00Z] [--until …]
  announcement end <id> --reason "…"
  maintenance begin "<text>" --reason "…" [--from 2026-12-31T22:00:00Z] [--until …]
                             refuses new calls with 503, free, from then on; running calls end as usual
  maintenance end --reason "…"
                             ends all maintenance, begun or planned`;

/** What everybody is told, and when new calls are refused. Every change is in the operator's log. */
export function listAnnouncementCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  const announcing = { options: ['reason', 'from', 'until'], subject: 'the text', isSubjectText: true };
  return {
    'announcement list': {
      flags: ['json'],
      run: (_, { json }) => withServices((services) => listAnnouncements(services, json !== undefined)),
    },
    'announcement add': { ...announcing, run: (text, options) => announce(withServices, { text, options }) },
    'announcement end': {
      options: ['reason'],
      subject: 'the id',
      run: (id, { reason }) => {
        const words = need(reason, '--reason');
        return withServices(async ({ announcements }) => {
          await asWords(announcements.end(id, words));
          console.log(`${id} is over.`);
        });
      },
    },
    'maintenance begin': {
      ...announcing,
      run: (text, options) => announce(withServices, { text, options, isMaintenance: true }),
    },
    'maintenance end': {
      options: ['reason'],
      run: (_, { reason }) => {
        const words = need(reason, '--reason');
        return withServices((services) => endMaintenance(services, words));
      },
    },
  };
}

interface Asked {
  readonly text: string;
  readonly options: ProgramOptions;
  readonly isMaintenance?: boolean;
}

function announce(withServices: WithServices, { text, options, isMaintenance = false }: Asked): Promise<void> {
  const words = need(options.reason, '--reason');
  const times = { startsAtMs: readTime(options.from, '--from'), endsAtMs: readTime(options.until, '--until') };
  return withServices(async ({ announcements }) => {
    console.log(describe(await asWords(announcements.announce({ isMaintenance, text, ...times }, words))));
  });
}

async function endMaintenance({ announcements }: OperatorServices, reason: string): Promise<void> {
  const open = (await announcements.listOpen()).filter(({ isMaintenance }) => isMaintenance);
  if (open.length === 0) throw new UsageError('There is no maintenance, and none is to come.');
  for (const { id } of open) await asWords(announcements.end(id, reason));
  console.log('Calls are taken again.');
}

async function listAnnouncements({ announcements }: OperatorServices, isJson: boolean): Promise<void> {
  const open = await announcements.listOpen();
  if (isJson) return console.log(JSON.stringify(open, null, 2));
  for (const announcement of open) console.log(describe(announcement));
}

function describe({ id, isMaintenance, text, startsAtMs, endsAtMs }: Announcement): string {
  const kind = isMaintenance ? 'maintenance' : 'news';
  const begun = startsAtMs <= systemClock.nowMs() ? 'since' : 'from';
  const until = endsAtMs === null ? 'until it is ended' : `until ${new Date(endsAtMs).toISOString()}`;
  return `${id}  ${kind}  ${begun} ${new Date(startsAtMs).toISOString()} ${until}: ${text}`;
}

/** @throws UsageError naming the option. @returns null when it was not given. */
function readTime(text: string | undefined, option: string): number | null {
  if (text === undefined) return null;
  const hasZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/.test(text);
  const atMs = hasZone ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs)) throw new UsageError(`${option} is a time with its zone, such as 2026-12-31T22:00:00Z.`);
  return atMs;
}
