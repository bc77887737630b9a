import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import type { AccountEvents } from '../../audit/account-events.js';
import { AppError, createSignInError, InvalidInputError } from '../../kernel/app-error.js';
import type { OpenAttemptCounter } from '../../kernel/attempt-counter.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { MemberRole } from '../../kernel/member-role.js';
import { formatCredits, toMillicredits } from '../../kernel/millicredits.js';
import type { ConcurrentCalls } from '../../limits/concurrent-calls.js';
import type { CallFilter } from '../../usage/requests/call-filter.js';
import { toOpenaiError } from '../calls/openai-error.js';
import { type AccountSources, writeAccountJson } from './export-account.js';
import {
  callColumns,
  eventColumns,
  listCallRows,
  listEventRows,
  listRequestRows,
  listStatementRows,
  requestColumns,
  statementColumns,
} from './export-rows.js';
import { whileAllowed } from './while-allowed.js';
import { WholeDownloads } from './whole-downloads.js';

/** Who takes a file along. */
interface ExportReader {
  readonly accountId: string;
  readonly sessionId: string | null;
  /** null: it is a key. */
  readonly personId: string | null;
  readonly role: MemberRole | null;
}

/** Asked while a file is written: whether whoever reads it may have it still. */
type IsStillAllowed = () => Promise<boolean>;

export interface ExportServices extends AccountSources {
  readonly events: Pick<AccountEvents, 'listEvents' | 'noteExport'>;
  /** Who sends a request for a file, such as `calls.csv`; null: nobody who is known. Throws when it is a key that may not have it. */
  readonly findViewer: (request: Request, fileName: string) => Promise<ExportReader | null>;
  /** The operator who sends a request for such a file, and whose account it is about. Throws when there is none who may have it. */
  readonly getOperatorExport: (
    request: Request,
    eventId: string,
  ) => Promise<{ readonly accountId: string; readonly operatorId: string; readonly isStillAllowed: IsStillAllowed }>;
  /** Whether that reader's session or key stands still, and may have that file. */
  readonly mayStill: (request: Request, fileName: string, reader: ExportReader) => Promise<boolean>;
  /** How long that is believed, in milliseconds; left out: two seconds. */
  readonly trustMs?: number;
  readonly concurrentExports: ConcurrentCalls;
  /** How many are written at once, of all accounts; left out: 32. */
  readonly exportsAtOnceMax?: number;
  readonly openCounter: OpenAttemptCounter;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A reader who takes nothing for this long is taken for gone. */
const stalledReaderMs = 60_000;
/** The longest that one export may take, however slowly it is read. */
const exportMsMax = 30 * 60_000;
/** Each reads the database and writes lines in this process, between calls and pages. */
export const usualAtOnceMax = 32;

const time = z.iso
  .datetime({ offset: true, error: 'Send a time such as 2026-01-31T12:00:00Z, with its zone.' })
  .refine((text) => Date.parse(text) >= 0, 'Send a time from 1970 on.');
const text = z.string().max(191, 'At most 191 characters.');
const timesQuery = z.strictObject({ from: time.optional(), to: time.optional() });
const entryTypes = [
  ...['purchase', 'grant', 'usage', 'refund', 'refund_returned', 'dispute', 'dispute_returned', 'adjustment'],
] as const;
const statementQuery = timesQuery.extend({
  type: z
    .string()
    .toLowerCase()
    .transform((types) => types.split(','))
    .pipe(z.array(z.enum(entryTypes)).max(entryTypes.length))
    .optional(),
});
const callsQuery = timesQuery.extend({
  model: text.optional(),
  provider: text.optional(),
  apiKeyId: text.optional(),
  outcome: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['completed', 'interrupted', 'abandoned', 'failed', 'expired']))
    .optional(),
  streamed: z.enum(['true', 'false']).optional(),
  tag: text.optional(),
  endUser: text.optional(),
  errorCode: text.optional(),
});
const requestsQuery = callsQuery.extend({ kind: z.enum(['call', 'refused']).optional() });

/** @param during Reads on for as long as the reader may have it. */
type WriteExport = (
  request: Request,
  response: Response,
  reader: ExportReader & { readonly during: During },
) => Promise<void>;

type During = <Piece>(pieces: AsyncIterable<Piece>) => AsyncIterable<Piece>;

interface ExportFile {
  readonly name: string;
  readonly write: WriteExport;
  readonly wholeDownloads: WholeDownloads;
}

/**
 * `GET /export/calls.csv`, `/export/requests.csv`, `/export/statement.csv`, `/export/events.csv` and `/export/account.json` for whoever is signed in, and for
 * API keys that may have it; `GET /export/accounts/{id}.json` for the operator who has asked for it. Each is read from the
 * database a page at a time, no faster than its reader takes it, and no further once the reader has left; so it costs the
 * same memory whatever its length, and 32 of all accounts are written at once. A download that breaks off is cut, never ended as if it were whole; so is one whose reader's session or key
 * has ended, or who may have it no more, within two seconds.
 */
export function createExportRoutes(services: ExportServices): Router {
  const { calls, statement, clock } = services;
  const router = Router();
  const wholeDownloads = new WholeDownloads(services.events, services.openCounter);
  const serve = (name: string, write: WriteExport) => {
    const file = { name, write, wholeDownloads };
    router.get(`/${name}`, (request, response) => void answer(request, response, file, services));
  };
  serve('calls.csv', async (request, response, { accountId, during }) => {
    const rows = listCallRows(calls, accountId, toCallFilter(readQuery(request, callsQuery)));
    await sendCsv(response, { name: 'calls', columns: callColumns, rows: during(rows), nowMs: clock.nowMs() });
  });
  serve('requests.csv', async (request, response, { accountId, during }) => {
    const { kind, ...query } = readQuery(request, requestsQuery);
    const filter = { ...toCallFilter(query), isRefused: kind === undefined ? null : kind === 'refused' };
    const rows = listRequestRows({ calls, refusals: services.refusals }, accountId, filter);
    await sendCsv(response, { name: 'requests', columns: requestColumns, rows: during(rows), nowMs: clock.nowMs() });
  });
  serve('statement.csv', async (request, response, { accountId, during }) => {
    const { from, to, type = null } = readQuery(request, statementQuery);
    const rows = listStatementRows(statement, accountId, { types: type, fromMs: toMs(from), toMs: toMs(to) });
    await sendCsv(response, { name: 'statement', columns: statementColumns, rows: during(rows), nowMs: clock.nowMs() });
  });
  serve('events.csv', async (request, response, { accountId, personId, during }) => {
    readQuery(request, z.strictObject({}));
    const rows = listEventRows(services.events, accountId, { isShared: personId !== accountId });
    await sendCsv(response, { name: 'events', columns: eventColumns, rows: during(rows), nowMs: clock.nowMs() });
  });
  serve('account.json', async (request, response, { accountId, during }) => {
    await sendAccount(request, response, { accountId, during }, services);
  });
  router.get(
    '/accounts/:eventId.json',
    (request, response) =>
      void send(response, services, async () => {
        const { eventId } = request.params;
        const { accountId, operatorId, isStillAllowed } = await services.getOperatorExport(request, eventId);
        const during: During = (pieces) => whileAllowed(pieces, isStillAllowed, services.trustMs);
        // A seat of the operator's, so that the customer has theirs.
        return { seatOf: operatorId, write: () => sendAccount(request, response, { accountId, during }, services) };
      }),
  );
  return router;
}

async function sendAccount(
  request: Request,
  response: Response,
  { accountId, during }: { readonly accountId: string; readonly during: During },
  services: ExportServices,
) {
  const nowMs = services.clock.nowMs();
  readQuery(request, z.strictObject({}));
  announceFile(response, 'application/json; charset=utf-8', toFileName('account', 'json', nowMs));
  const pieces = Readable.from(during(writeAccountJson(services, accountId, nowMs)), { objectMode: false });
  await pipeline(pieces, response, { signal: AbortSignal.timeout(exportMsMax) });
}

function answer(request: Request, response: Response, file: ExportFile, services: ExportServices) {
  return send(response, services, async () => {
    const viewer = await services.findViewer(request, file.name);
    if (viewer === null) throw createSignInError();
    const write = async () => {
      await file.wholeDownloads.note(request, file.name, viewer);
      const isStillAllowed = () => services.mayStill(request, file.name, viewer);
      const during: During = (pieces) => whileAllowed(pieces, isStillAllowed, services.trustMs);
      await file.write(request, response, { ...viewer, during });
    };
    return { seatOf: viewer.accountId, write };
  });
}

/** A file for somebody, and whose seat among the exports they take while it is written. */
interface FoundFile {
  readonly seatOf: string;
  readonly write: () => Promise<void>;
}

async function send(response: Response, services: ExportServices, find: () => Promise<FoundFile>): Promise<void> {
  response.set({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  response.set('cross-origin-resource-policy', 'same-origin');
  let leave: (() => void) | null = null;
  try {
    const { seatOf, write } = await find();
    leave = services.concurrentExports.enter(seatOf);
    refuseBeyondAll(services);
    response.setTimeout(stalledReaderMs, () => response.destroy());
    await write();
  } catch (error) {
    answerFailure(response, error, services.logger);
  } finally {
    leave?.();
  }
}

function refuseBeyondAll({ concurrentExports, exportsAtOnceMax = usualAtOnceMax }: ExportServices): void {
  if (concurrentExports.count <= exportsAtOnceMax) return;
  const words = `The server writes ${exportsAtOnceMax} exports at a time, and so many are under way. Try again in a moment.`;
  throw new AppError('service_unavailable', words, {
    retryAfterMs: 10_000,
    innerReason: 'too many exports are under way',
  });
}

function answerFailure(response: Response, error: unknown, logger: Logger): void {
  const hasReaderLeft = response.closed || response.destroyed;
  const { code, status, headers, body, logLevel, innerReason, isOurBug } = toOpenaiError(error);
  const reason = isOurBug ? { error } : { innerReason: innerReason ?? undefined };
  if (!hasReaderLeft) logger[logLevel]('export_failed', { code, status, ...reason });
  if (response.headersSent) response.destroy();
  else if (!hasReaderLeft) response.status(status).set(headers).json(body);
}

interface CsvFile {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<object>;
  readonly nowMs: number;
}

async function sendCsv(response: Response, { name, columns, rows, nowMs }: CsvFile): Promise<void> {
  announceFile(response, 'text/csv; charset=utf-8; header=present', toFileName(name, 'csv', nowMs));
  const table = stringify({
    header: true,
    columns: [...columns],
    escape_formulas: true,
    record_delimiter: 'windows',
    // An amount below zero is a number, and no formula.
    cast: { bigint: (millicredits) => formatCredits(toMillicredits(Number(millicredits))) },
  });
  await pipeline(Readable.from(rows), table, response, { signal: AbortSignal.timeout(exportMsMax) });
}

function announceFile(response: Response, type: string, fileName: string): void {
  response.set({ 'content-type': type, 'content-disposition': `attachment; filename="${fileName}"` });
}

function toFileName(name: string, extension: string, nowMs: number): string {
  return `tollgate-${name}-${new Date(nowMs).toISOString().slice(0, 10)}.${extension}`;
}

function toCallFilter({ from, to, apiKeyId, streamed, ...same }: z.output<typeof callsQuery>): CallFilter {
  const isStreamed = streamed === undefined ? null : streamed === 'true';
  return { ...same, fromMs: toMs(from), toMs: toMs(to), keyId: apiKeyId, isStreamed };
}

function readQuery<Shape extends z.ZodType>(request: Request, shape: Shape): z.output<Shape> {
  // The address before it may be none, as `//` is.
  const searchParams = new URLSearchParams(/\?([^#]*)/.exec(request.url)?.[1] ?? '');
  const parsed = shape.safeParse(Object.fromEntries([...searchParams].filter(([, value]) => value !== '')));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  if (unknown !== undefined) throw new InvalidInputError(unknown, `There is no parameter "${unknown}" here.`);
  throw new InvalidInputError(String(issue?.path[0] ?? 'query'), issue?.message ?? 'The query is not valid.');
}

function toMs(iso: string | undefined): number | null {
  return iso === undefined ? null : Date.parse(iso);
}
