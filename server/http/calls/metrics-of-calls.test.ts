import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { findFreePort } from '../../test/redis-process.js';

const token = 'a-token-of-the-operator';
const question = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };

/** Each sample of a scrape by its name and labels. */
async function scrape(url: string, headers: Record<string, string> = {}): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(url, { headers })).text();
  const samples = [...text.matchAll(/^(tollgate_\S+?(?:\{.*\})?) (\S+)$/gm)];
  return new Map(samples.map(([, series = '', value]) => [series, Number(value)]));
}

describeOnEachDatabase('GET /metrics of calls', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { METRICS_TOKEN: token });

  const read = () => scrape(`${app.baseUrl}/metrics`, { authorization: `Bearer ${token}` });

  it('tells calls, tokens and credits to the last millicredit, as the journal has them', async () => {
    const account = await app.createAccount();
    for (const stream of [false, true]) {
      await (await app.call(account.secret, { ...question, stream, stream_options: { include_usage: true } })).text();
    }
    const figures = await read();
    const labels = 'tier="lower",source="reported"';
    const [booked] = await app.query(
      'SELECT COUNT(*) AS calls, SUM(prompt_tokens) AS prompt, SUM(completion_tokens) AS completion, SUM(charged_millicredits) AS charged FROM call_record',
    );
    expect(figures.get('tollgate_calls_total{model="gpt-4o-mini",provider="openai",outcome="completed"}')).toBe(2);
    expect(figures.get(`tollgate_tokens_total{kind="prompt",${labels}}`)).toBe(Number(booked?.prompt));
    expect(figures.get(`tollgate_tokens_total{kind="completion",${labels}}`)).toBe(Number(booked?.completion));
    expect(figures.get(`tollgate_charged_millicredits_total{${labels}}`)).toBe(Number(booked?.charged));
    expect(figures.get('tollgate_requests_total{route="chat",status="200"}')).toBe(2);
    expect(figures.get('tollgate_call_duration_seconds_count{provider="openai",streamed="true"}')).toBe(1);
    expect(figures.get('tollgate_first_token_seconds_bucket{provider="openai",le="+Inf"}')).toBe(2);
    expect(figures.get('tollgate_upstream_attempts_total{provider="openai",result="answered"}')).toBe(2);
    expect(figures.get('tollgate_ledger_wait_seconds_count{operation="settle"}')).toBe(2);
    expect(figures.get('tollgate_breaker_state{provider="openai"}')).toBe(0);
    expect(figures.get('tollgate_calls_running')).toBe(0);
  });

  it('counts refusals by their code, and makes no series of a caller’s words', async () => {
    const before = (await read()).size;
    const account = await app.createAccount();
    await app.call('sk-tg-wrong', question);
    for (const model of ['canary-model-1', 'canary-model-2', 'gpt-4o-mini"} 1']) {
      await app.call(account.secret, { ...question, model });
    }
    await fetch(`${app.baseUrl}/api/proxy.php/canary-address`, { method: 'POST' });
    await fetch(`${app.baseUrl}/canary-page`);
    const figures = await read();
    expect(figures.get('tollgate_refusals_total{code="invalid_api_key"}')).toBe(1);
    expect(figures.get('tollgate_refusals_total{code="model_not_found"}')).toBe(3);
    expect(figures.get('tollgate_requests_total{route="chat",status="404"}')).toBe(3);
    expect(figures.get('tollgate_requests_total{route="other",status="404"}')).toBe(1);
    expect([...figures.keys()].filter((series) => series.includes('canary'))).toEqual([]);
    expect(figures.size - before).toBeLessThan(15);
  });

  it('tells how the ledger commits, what is held, and how its own jobs go', async () => {
    const account = await app.createAccount();
    await app.call(account.secret, question);
    const figures = await read();
    const commits = figures.get('tollgate_ledger_commit_seconds_count') ?? 0;
    expect(commits).toBeGreaterThan(0);
    expect(figures.get('tollgate_ledger_batch_operations_count')).toBe(commits);
    expect(figures.get('tollgate_ledger_batch_operations_sum')).toBeGreaterThanOrEqual(commits);
    expect(figures.get('tollgate_ledger_queued_operations')).toBe(0);
    const [open] = await app.query("SELECT COALESCE(SUM(amount), 0) AS held FROM ledger_hold WHERE state = 'open'");
    expect(figures.get('tollgate_ledger_held_millicredits')).toBe(Number(open?.held));
    expect(figures.get('tollgate_upstream_connections')).toBeGreaterThan(0);
    expect(figures.get('tollgate_upstream_waiting')).toBe(0);
    for (const job of ['hold_sweep', 'top_ups']) {
      expect(figures.get(`tollgate_job_last_done_timestamp_seconds{job_name="${job}"}`)).toBeGreaterThan(1.7e9);
    }
  });

  it('says what runs and what it needs of its machine', async () => {
    const figures = await read();
    const names = [...figures.keys()].join('\n');
    expect(names).toMatch(/^tollgate_build_info\{version="\d+\.\d+\.\d+",node="v\d+/m);
    for (const name of ['resident_memory_bytes', 'heap_used_bytes', 'cpu_seconds_total', 'connections']) {
      expect(figures.get(`tollgate_${name}`)).toBeGreaterThan(0);
    }
    expect(figures.get('tollgate_event_loop_delay_seconds{at="p99"}')).toBeGreaterThanOrEqual(0);
    expect(figures.get('tollgate_notices_waiting')).toBeGreaterThanOrEqual(0);
  });
});

describeOnEachDatabase('METRICS_PORT', (openTestDatabase) => {
  const start = async (settings: Record<string, string>) => {
    const port = String(await findFreePort());
    const app = await TestApp.start(await openTestDatabase(), { ...settings, METRICS_PORT: port });
    return { app, url: `http://127.0.0.1:${port}` };
  };

  it('serves the figures without a token, and nothing else; the port of the callers has none', async () => {
    const { app, url } = await start({});
    expect((await scrape(`${url}/metrics`)).get('tollgate_ledger_kept_settlements')).toBe(0);
    for (const path of ['/', '/graphql', '/v1/models', '/healthz']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
    expect((await fetch(`${app.baseUrl}/metrics`)).status).toBe(404);
    await app.close();
    await expect(fetch(`${url}/metrics`)).rejects.toThrow();
  });

  it('asks for the token where there is one', async () => {
    const { app, url } = await start({ METRICS_TOKEN: token });
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect((await scrape(`${url}/metrics`, { authorization: `Bearer ${token}` })).size).toBeGreaterThan(10);
    await app.close();
  });
});
