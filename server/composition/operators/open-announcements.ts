import { AnnouncementBoard } from '../../announcements/announcement-board.js';
import { Announcements } from '../../announcements/announcements.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { OperatorLog } from '../../operator/operator-log.js';
import { AnnouncementDesk } from '../../operator/service/announcement-desk.js';

interface AnnouncementParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What is announced, and who announces. Starts nothing. */
export function openAnnouncements({ unitOfWork, clock, logger }: AnnouncementParts) {
  const announcements = new Announcements(unitOfWork, clock);
  const announcementBoard = new AnnouncementBoard({ listOpen: () => announcements.listOpen(), clock, logger });
  const openAnnouncementDesk = (log: OperatorLog) =>
    new AnnouncementDesk({ log, announcements, takeOver: () => announcementBoard.watch.lookAfterChange() });
  return { announcementBoard, openAnnouncementDesk };
}
