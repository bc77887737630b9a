/** Something that the operators tell everybody, as the server says it. */
export interface KeptAnnouncement {
  readonly id: string;
  readonly isMaintenance: boolean;
  readonly text: string;
  readonly startsAt: string;
  readonly endsAt?: string | null;
}

const storageKey = 'announcements';

/** What was announced when this browser last asked, and is not over; so a page that is loaded again has its lines at once. */
export function readKeptAnnouncements(
  storage: Pick<Storage, 'getItem'> | null,
  now: Date,
): readonly KeptAnnouncement[] {
  try {
    const kept: unknown = JSON.parse(storage?.getItem(storageKey) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isAnnouncement).filter((one) => !isOver(one, now)) : [];
  } catch {
    return [];
  }
}

/** Keeps what is announced now. A browser that stores nothing keeps nothing. */
export function keepAnnouncements(
  storage: Pick<Storage, 'setItem'> | null,
  announcements: readonly KeptAnnouncement[],
): void {
  const kept = announcements.map(({ id, isMaintenance, text, startsAt, endsAt }) => {
    return { id, isMaintenance, text, startsAt, endsAt };
  });
  try {
    storage?.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // Full or forbidden.
  }
}

function isOver({ endsAt }: KeptAnnouncement, now: Date): boolean {
  return typeof endsAt === 'string' && Date.parse(endsAt) <= now.getTime();
}

function isAnnouncement(value: unknown): value is KeptAnnouncement {
  const { id, isMaintenance, text, startsAt } = (value ?? {}) as Record<string, unknown>;
  return [id, text, startsAt].every((field) => typeof field === 'string') && typeof isMaintenance === 'boolean';
}
