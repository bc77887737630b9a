import { explainDiskFailure, requireRoom } from './disk-room.js';

describe('room for a backup', () => {
  it('is looked for on the disk of each folder, and what is missing is told with the setting', async () => {
    const wanted = [
      { setting: 'SPOOL_DIR', folder: '/', bytes: 600_000 },
      { setting: 'DATABASE_URL', folder: '/', bytes: 600_000 },
    ];
    await expect(requireRoom(wanted, async () => 1_000_000)).rejects.toThrow(
      'DATABASE_URL: the disk of / has room for 1.0 MB, and 1.2 MB are needed. Nothing was written.',
    );
    await requireRoom(wanted, async () => 1_200_000);
    await requireRoom(wanted, async () => null);
  });

  it('that runs out while a database is written is missing on the disk of the target, not on that of DATABASE_URL', () => {
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    expect(explainDiskFailure(full, '/backups/today', 'Make room.')?.message).toBe(
      '/backups/today: the disk is full. Make room.',
    );
    expect(explainDiskFailure(new TypeError('a bug'), '/backups/today', 'Make room.')).toBeNull();
  });
});
