import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../server/test/eventually.js';
import { buildEarlierRelease, type EarlierRelease } from '../support/earlier-release.js';
import { Deployment } from './deployment.js';
import { GroupReplication, type Member } from './group-replication.js';
import { type EventReport, type Happening, type Measured, measureEvent } from './measure-event.js';
import { describeReport, describeReports } from './print-reports.js';

/*
 * Three instances behind HAProxy, on a Group Replication cluster of three MySQL servers and Redis, all on this machine, under
 * load while something happens to them. `npm run test:cluster` runs it, with real programs; CLUSTER_CALLS_PER_SECOND and
 * CLUSTER_SECONDS say how much and how long, before each event and after it.
 */
const programs = { mysqld: process.env.CLUSTER_MYSQLD ?? '', haproxy: process.env.CLUSTER_HAPROXY ?? '' };
const callsPerSecond = Number(process.env.CLUSTER_CALLS_PER_SECOND ?? 300);
const aroundMs = 1_000 * Number(process.env.CLUSTER_SECONDS ?? 5);
const testMs = 600_000 + 10 * aroundMs;
/** Beyond the time in which the database itself takes no write. */
const gapBeyondDatabaseMsMax = 2_000;
const redisPauseMs = 5_000;

describe('three instances on a cluster, under load', () => {
  const reports: EventReport[] = [];
  let group: GroupReplication;
  let deployment: Deployment;
  let release: EarlierRelease;
  let measured: Measured;
  beforeAll(async () => {
    release = buildEarlierRelease();
    group = await GroupReplication.start(programs.mysqld);
    deployment = await Deployment.prepare(programs.haproxy);
    measured = { group, deployment, everSeen: [], callsPerSecond, aroundMs };
    // Of the last release, which knows neither several hosts in its address nor /readyz.
    const url = group.urlOf(await group.getPrimary());
    for (const instance of deployment.instances) await deployment.startInstance(instance, url, release.mainScript);
    await deployment.replaceBalancer('/healthz');
    await deployment.signUpCustomers();
  }, testMs);
  afterAll(async () => {
    console.log(`\n${describeReports(reports)}\n`);
    await deployment?.close();
    await group?.close();
    release?.remove();
  }, 60_000);

  /** One instance after the other; that release has no time between "not ready" and its end, so the balancer is told by hand. */
  const upgrade = async () => {
    for (const instance of deployment.instances) {
      await deployment.balancer.drain(instance.number);
      await deployment.stopInstance(instance);
      await deployment.startInstance(instance, group.url);
      await deployment.balancer.giveCalls(instance.number);
    }
    isUpgraded = true;
  };
  let isUpgraded = false;
  let asksReadyz = false;
  // Also where the first test is left out.
  const endUpgrade = async () => {
    if (!isUpgraded) await upgrade();
    if (!asksReadyz) await deployment.replaceBalancer('/readyz');
    asksReadyz = true;
  };
  const measure = async (event: string, happen: Happening) => {
    const report = await measureEvent(measured, event, happen);
    reports.push(report);
    // Now, and in the table at the end: a run takes long.
    process.stdout.write(`${describeReport(report)}\n${JSON.stringify(report.warnings)}\n`);
    return report;
  };
  const soundBooks = { lost: 0, double: 0, stuck: 0, faults: [] };
  const expectNothingFailed = (report: EventReport) => expect(report).toMatchObject({ ...soundBooks, failed: {} });
  const expectQuickReturn = (report: EventReport) => {
    expect(report).toMatchObject(soundBooks);
    expect(report.longestGapMs).toBeLessThanOrEqual(report.databaseGapMs + gapBeyondDatabaseMsMax);
  };
  const otherThan = (members: readonly Member[]) => group.members.find((member) => !members.includes(member)) as Member;
  /** Resolves when writes go to another member than this one. */
  const untilPrimaryIsNot = async (old: Member) => {
    await eventually(async () => (await group.getPrimary().catch(() => old)) !== old, 100);
  };

  it(
    'a rolling upgrade from the last release fails no call',
    async () => {
      const report = await measure('rolling upgrade from the last release', upgrade);
      expectNothingFailed(report);
    },
    testMs,
  );

  it(
    'a rolling restart fails no call',
    async () => {
      await endUpgrade();
      const report = await measure('rolling restart (SIGTERM, drain)', async () => {
        for (const instance of deployment.instances) {
          await deployment.stopInstance(instance);
          await deployment.startInstance(instance, group.url);
          await deployment.balancer.waitUntilAllAreWell();
        }
      });
      expectNothingFailed(report);
    },
    testMs,
  );

  it(
    'an instance that is killed takes its own calls with it, and nothing else',
    async () => {
      await endUpgrade();
      const [victim] = deployment.instances;
      if (victim === undefined) throw new Error('There is no instance.');
      const report = await measure('kill -9 of an instance', async () => {
        await deployment.killInstance(victim);
        await sleep(aroundMs);
        await deployment.startInstance(victim, group.url);
        await deployment.balancer.waitUntilAllAreWell();
      });
      expect(report).toMatchObject(soundBooks);
      expect(report.longestGapMs).toBeLessThanOrEqual(gapBeyondDatabaseMsMax);
    },
    testMs,
  );

  it(
    'a primary that is killed is followed within two seconds of the group’s own election',
    async () => {
      await endUpgrade();
      const report = await measure('primary killed (kill -9)', async () => {
        const primary = await group.getPrimary();
        await group.kill(primary);
        await untilPrimaryIsNot(primary);
        return () => group.startAgain(primary);
      });
      expectQuickReturn(report);
    },
    testMs,
  );

  it(
    'a primary that is shut down is followed within two seconds of the group’s own election',
    async () => {
      await endUpgrade();
      const report = await measure('primary stopped (SIGTERM)', async () => {
        const primary = await group.getPrimary();
        await group.stop(primary);
        await untilPrimaryIsNot(primary);
        return () => group.startAgain(primary);
      });
      expectQuickReturn(report);
    },
    testMs,
  );

  it(
    'a primary that hands its part on is left within two seconds of that',
    async () => {
      await endUpgrade();
      const report = await measure('primary swapped (group_replication_set_as_primary)', async () => {
        const [next] = await group.getSecondaries();
        if (next === undefined) throw new Error('The group has no secondary.');
        await group.makePrimary(next);
        expect(await group.getPrimary()).toBe(next);
      });
      expectQuickReturn(report);
    },
    testMs,
  );

  it(
    'a group that lost its quorum is used again within two seconds of being forced',
    async () => {
      await endUpgrade();
      const report = await measure('quorum lost, and forced', async () => {
        const lost = await group.getSecondaries();
        const left = otherThan(lost);
        for (const member of lost) await group.kill(member);
        await sleep(aroundMs);
        await group.forceAlone(left);
        await sleep(aroundMs);
        return () => group.startAgain(...lost);
      });
      expectQuickReturn(report);
    },
    testMs,
  );

  it(
    'a Redis that is killed and comes back fails no call',
    async () => {
      await endUpgrade();
      const report = await measure('Redis killed, and back', async () => {
        await deployment.redis.kill();
        await sleep(redisPauseMs);
        await deployment.redis.resume();
      });
      expectNothingFailed(report);
    },
    testMs,
  );
});
