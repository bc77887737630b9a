import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig } from '../config/config.js';
import { findRepositoryRoot, readSourceTree } from './architecture/source-tree.js';
import { TestApp } from './create-test-app.js';
import { openSqliteDatabase } from './each-database.js';

const root = findRepositoryRoot(import.meta.dirname);
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const promtool = spawnSync('promtool', ['--version']).status === 0;

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}
const alerts: readonly Alert[] = parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
);
const compose = parse(read('deploy/compose.yaml'), { merge: true });
const values = parse(read('deploy/helm/tollgate/values.yaml'));
const unit = read('deploy/systemd/tollgate.service');
const dockerfile = read('deploy/Dockerfile');

describe('The alert rules and the dashboard', () => {
  const dashboard: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(
    read('deploy/grafana/tollgate.json'),
  );
  const sources = [...readSourceTree(root)].filter(([path]) => path.startsWith('server/')).map(([, text]) => text);
  const known = new Set(sources.flatMap((text) => [...text.matchAll(/'(tollgate_\w+)'/g)].map(([, name]) => name)));
  const namesIn = (expr: string) => [...expr.matchAll(/\btollgate_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''));

  it('ask for figures that the server has, and for no other', () => {
    const asked = [...alerts, ...dashboard.panels.flatMap(({ targets }) => targets)].flatMap(({ expr }) =>
      namesIn(expr),
    );
    expect(asked.length).toBeGreaterThan(50);
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });

  it('have an entry in the runbook for each alert, and no other', () => {
    const entries = [...read('docs/runbook.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(entries).toEqual(alerts.map(({ alert }) => alert));
    expect(alerts.map(({ annotations }) => annotations.runbook)).toEqual(
      entries.map((name) => `docs/runbook.md#${name?.toLowerCase()}`),
    );
  });

  it('are tried: each alert has a case in which it fires, and one in which it is silent again', () => {
    const cases: { name: string; alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[] = parse(
      read('deploy/prometheus/alerts.test.yaml'),
    ).tests;
    // In turn: it fires, it is silent; a rule of two halves does so twice.
    const told = cases.map(({ name, alert_rule_test: tests }) => {
      const isInTurn = tests.every(({ exp_alerts: fired }, index) => fired.length === (index % 2 === 0 ? 1 : 0));
      return [name, isInTurn && tests.length >= 2, [...new Set(tests.map(({ alertname }) => alertname))]];
    });
    expect(told).toEqual(alerts.map(({ alert }) => [alert, true, [alert]]));
  });

  it(promtool
    ? 'fire and heal in Prometheus'
    : 'fire and heal (not tried: promtool is missing, apt-get install prometheus)', () => {
    if (!promtool) return;
    const folder = join(root, 'deploy/prometheus');
    for (const words of [
      ['check', 'rules', 'alerts.yaml'],
      ['test', 'rules', 'alerts.test.yaml'],
    ]) {
      expect(String(execFileSync('promtool', words, { cwd: folder, stdio: 'pipe' }))).toContain('SUCCESS');
    }
  }, 60_000);

  it(promtool
    ? 'rest on a scrape that Prometheus reads'
    : 'rest on a scrape (not read: promtool is missing)', async () => {
    if (!promtool) return;
    const token = 'a-token-of-the-operator';
    const app = await TestApp.start(await openSqliteDatabase(), { METRICS_TOKEN: token });
    const account = await app.createAccount();
    const answer = await app.call(account.secret, {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    await answer.text();
    const scrape = await fetch(`${app.baseUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: await scrape.text() });
    await app.close();
    expect([status, String(stderr)]).toEqual([0, '']);
  }, 60_000);
});

describe('The files of a deployment', () => {
  const settings = new Set([...read('.env.example').matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name));
  const isSetting = (name: string) => settings.has(name) || settings.has(name.replace(/_FILE$/, ''));
  const server = compose.services;

  it('name settings that there are, and values that the server takes', () => {
    const ofImage = Object.fromEntries(
      [...(/^ENV ([\s\S]*?)(?<!\\)\n/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
    const ofUnit = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map((pair) => pair.split('=')),
    );
    const sets = [
      ofImage,
      server.tollgate.environment,
      server['tollgate-full'].environment,
      values.settings,
      Object.fromEntries(ofUnit),
    ];
    for (const set of sets) {
      expect(Object.keys(set).length).toBeGreaterThan(1);
      expect(Object.keys(set).filter((name) => !isSetting(name))).toEqual([]);
    }
    expect(values.secrets.keys.filter((name: string) => !isSetting(name))).toEqual([]);
    expect(loadConfig(ofImage)).toMatchObject({ port: 8080, metricsPort: 9464, isProduction: true, host: '0.0.0.0' });
    const mysql = { DATABASE_URL: 'mysql://tollgate:secret@db/tollgate' };
    expect(loadConfig({ ...ofImage, ...values.settings, ...mysql }).trustProxy).toBe(1);
  });

  it('wait longer for a server that stops than it takes: its delay, and 150 seconds', () => {
    const drainSeconds = 150;
    const unitSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    expect(unitSeconds).toBeGreaterThanOrEqual(drainSeconds);
    for (const { stop_grace_period: grace, environment } of [server.tollgate, server['tollgate-full']]) {
      expect(Number.parseInt(grace, 10)).toBeGreaterThanOrEqual(drainSeconds + Number(environment.DRAIN_DELAY_SECONDS));
    }
    const { terminationGracePeriodSeconds, preStopSeconds, settings: ofChart } = values;
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      drainSeconds + Number(ofChart.DRAIN_DELAY_SECONDS) + preStopSeconds,
    );
  });

  it('let a call take as long as the server does, and stream it', () => {
    const callSeconds = loadConfig({}).upstreamTimeouts.totalMs / 1_000;
    const nginx = read('deploy/proxies/nginx.conf');
    const caddy = read('deploy/proxies/Caddyfile');
    const { annotations } = values.ingress;
    const waits = [
      /proxy_read_timeout (\d+)s/.exec(nginx)?.[1],
      /response_header_timeout (\d+)s/.exec(caddy)?.[1],
      annotations['nginx.ingress.kubernetes.io/proxy-read-timeout'],
    ];
    for (const seconds of waits) expect(Number(seconds)).toBeGreaterThan(callSeconds);
    expect(nginx).toContain('proxy_buffering off;');
    // A browser holds a stream for each page that is seen, and has six connections to a host without HTTP/2.
    expect(nginx).toMatch(/listen 443 ssl http2;/);
    expect(caddy).toContain('flush_interval -1');
    expect(annotations['nginx.ingress.kubernetes.io/proxy-buffering']).toBe('off');
  });

  it('copy and mount files that there are, and serve on one pair of ports', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').slice(0, -1),
    );
    expect(copied.length).toBeGreaterThan(10);
    const mounted = Object.values(server as Record<string, { volumes?: string[] }>)
      .flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0] ?? ''))
      .filter((path) => path.startsWith('./'))
      .map((path) => join('deploy', path));
    expect([...copied, ...mounted].filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(dockerfile).toMatch(/^EXPOSE 8080 9464$/m);
    for (const file of ['deploy/prometheus/prometheus.yaml', 'deploy/helm/tollgate/templates/statefulset.yaml']) {
      expect(read(file)).toContain('9464');
    }
    expect(parse(read('deploy/helm/tollgate/Chart.yaml')).appVersion).toBe(JSON.parse(read('package.json')).version);
  });

  it('explain every setting of the chart beside it', () => {
    const numbers = read('deploy/helm/tollgate/values.yaml').split('\n');
    const unexplained = numbers.filter((line, index) => {
      const isFigure = /^\s+?\w+: "?\d+\w*"?$/.test(line) || /^\w+: \d+$/.test(line);
      return isFigure && !numbers.slice(Math.max(0, index - 5), index).some((before) => before.trim().startsWith('#'));
    });
    expect(unexplained).toEqual([]);
  });
});
