import type { Announcement, Announcements, NewAnnouncement } from '../../announcements/announcements.js';
import { type OperatorLog, requireReason } from '../operator-log.js';

export interface AnnouncementDeskParts {
  readonly log: OperatorLog;
  readonly announcements: Pick<Announcements, 'listOpen' | 'add' | 'end'>;
  /** Has this process take over what was changed; others do within a second or two. */
  readonly takeOver: () => Promise<void>;
}

/** What everybody is told, and when new calls are refused. Each change stands in the log, in its transaction. */
export class AnnouncementDesk {
  constructor(private readonly parts: AnnouncementDeskParts) {}

  /** The same, whose changes stand in the log under another name. */
  by(actor: string): AnnouncementDesk {
    return new AnnouncementDesk({ ...this.parts, log: this.parts.log.by(actor) });
  }

  /** Those that are not over, begun or not; at most 20. */
  listOpen(): Promise<readonly Announcement[]> {
    return this.parts.announcements.listOpen();
  }

  /** @throws as `Announcements.add`; InvalidInputError for the reason. */
  async announce(wanted: Omit<NewAnnouncement, 'createdBy'>, reason: string): Promise<Announcement> {
    const words = requireReason(reason);
    const { announcements, log, takeOver } = this.parts;
    const made = await announcements.add({ ...wanted, createdBy: log.actor }, (transaction, { id, isMaintenance }) => {
      const action = isMaintenance ? 'begin_maintenance' : 'announce';
      return log.write(transaction, { action, subject: id, reason: words });
    });
    await takeOver();
    return made;
  }

  /** Ends one at once. @throws as `Announcements.end`; InvalidInputError for the reason. */
  async end(id: string, reason: string): Promise<void> {
    const words = requireReason(reason);
    const { announcements, log, takeOver } = this.parts;
    await announcements.end(id, (transaction, { isMaintenance }) => {
      const action = isMaintenance ? 'end_maintenance' : 'end_announcement';
      return log.write(transaction, { action, subject: id, reason: words });
    });
    await takeOver();
  }
}
