import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../kernel/logger.js';
import { endingWith } from '../test/ledger-fixture.js';
import { SettlementSpool } from './settlement-spool.js';

// No process of this number can live: Linux counts to 2^22.
const deadOwner = 'settlements-4194999-old.spool';

describe('SettlementSpool', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-spool-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const settlement = (n: number) => ({ callId: `call_${n}`, accountId: 'acct_1', ending: endingWith(n, 1) });
  const openSpool = () => new SettlementSpool(folder, 'one', silentLogger);

  /** Leaves a spool behind as a process that died would. */
  async function leaveBehind(count: number): Promise<string> {
    const spool = openSpool();
    await Promise.all(Array.from({ length: count }, (_, n) => spool.keep(settlement(n))));
    await spool.close();
    const [name] = readdirSync(folder);
    renameSync(join(folder, String(name)), join(folder, deadOwner));
    return join(folder, deadOwner);
  }

  it('hands a later process everything that was kept, in order', async () => {
    await leaveBehind(50);
    expect(openSpool().kept).toEqual(Array.from({ length: 50 }, (_, n) => settlement(n)));
  });

  it('leaves the file of a living process alone', async () => {
    const spool = openSpool();
    await spool.keep(settlement(1));
    expect(new SettlementSpool(folder, 'two', silentLogger).kept).toEqual([]);
    await spool.close();
  });

  it('keeps the whole lines before a torn tail and sets the file aside', async () => {
    const file = await leaveBehind(3);
    appendFileSync(file, readFileSync(file, 'utf8').slice(0, 40));
    expect(openSpool().kept).toHaveLength(3);
    expect(readdirSync(folder)).toEqual([`${deadOwner}.quarantined`]);
  });

  it.each(['first', 'last'])('sees a flipped byte in the %s line', async (which) => {
    const file = await leaveBehind(3);
    const text = readFileSync(file, 'utf8');
    const at = which === 'first' ? 30 : text.length - 30;
    writeFileSync(file, `${text.slice(0, at)}~${text.slice(at + 1)}`);
    expect(openSpool().kept).toHaveLength(which === 'first' ? 0 : 2);
  });

  it('removes its files once everything is booked, and starts anew after that', async () => {
    await leaveBehind(2);
    const spool = openSpool();
    await spool.keep(settlement(7));
    await spool.forgetOldest(2);
    expect(spool.kept).toEqual([settlement(7)]);
    await spool.forgetOldest(1);
    expect(readdirSync(folder)).toEqual([]);
    await spool.keep(settlement(8));
    expect(spool.kept).toEqual([settlement(8)]);
    await spool.close();
  });
});
