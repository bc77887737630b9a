import { setImmediate as turn } from 'node:timers/promises';
import { type Actor, actAs, findActor } from './acting.js';

const actorOf = (actorId: string): Actor => ({ actorId, address: '192.0.2.1', userAgent: null });

async function findAfter(turns: number): Promise<string | null | undefined> {
  for (let count = 0; count < turns; count += 1) await turn();
  return findActor()?.actorId;
}

describe('Who acts', () => {
  it('stays the same to the end, whoever begins and ends meanwhile, and however', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `sess_${n}`);
    const found = await Promise.all(
      names.map((name, n) =>
        actAs(actorOf(name), async () => {
          const early = await findAfter(n % 7);
          const inner = await actAs(actorOf(`${name} within`), () => findAfter(n % 3)).catch(() => null);
          if (n % 5 === 0) throw new Error(name);
          return [early, inner, await findAfter(n % 11)];
        }).catch((error: Error) => error.message),
      ),
    );
    expect(found).toEqual(names.map((name, n) => (n % 5 === 0 ? name : [name, `${name} within`, name])));
  });

  it('is nobody before, and after the work has ended, also for what it has left running', async () => {
    expect(findActor()).toBeNull();
    let left: Promise<string | null | undefined> = Promise.resolve(null);
    const told = await actAs(actorOf('sess_1'), () => {
      left = findAfter(5);
      return findActor()?.actorId;
    });
    expect(told).toBe('sess_1');
    expect(findActor()).toBeNull();
    expect(await left).toBeUndefined();
    expect(await actAs(actorOf('sess_2'), () => findAfter(2))).toBe('sess_2');
  });
});
