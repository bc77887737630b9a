import type { Request } from 'express';
import type { RequestViewer } from '../graphql/request-viewer.js';
import { createExportRoutes, usualAtOnceMax } from '../http/exports/export.route.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { Metric } from '../kernel/metrics/metric.js';
import { ConcurrentCalls } from '../limits/concurrent-calls.js';
import type { Core } from './create-core.js';

/** Downloads of one account at the same time. */
const exportsPerAccountMax = 2;

/** The files that accounts and operators take along, and how many of them are written now. */
export function openExports(
  core: Core,
  viewers: RequestViewer,
  parts: { readonly clock: Clock; readonly logger: Logger },
) {
  const concurrentExports = new ConcurrentCalls(exportsPerAccountMax, 'exports');
  const routes = createExportRoutes({
    ...core.resolverServices,
    ...parts,
    findViewer: (request, fileName) => viewers.findFor(`GET /export/${fileName}`, request),
    mayStill: (request, fileName, reader) => viewers.mayStillFor(`GET /export/${fileName}`, request, reader),
    getOperatorExport: (request, eventId) => getOperatorExport(core, viewers, { request, eventId }),
    concurrentExports,
    openCounter: core.limits.openCounter,
  });
  const listMetrics = (): readonly Metric[] => {
    const help = `Files of accounts that are being written; ${usualAtOnceMax} at most.`;
    return [{ name: 'tollgate_exports_running', help, kind: 'gauge', value: concurrentExports.count }];
  };
  return { routes, listMetrics };
}

async function getOperatorExport(
  { resolverServices: { operators } }: Core,
  viewers: RequestViewer,
  { request, eventId }: { readonly request: Request; readonly eventId: string },
) {
  viewers.refuseForeign(request);
  const token = viewers.operatorCookie.read(request);
  const findOperator = async () => (token === null ? null : operators.sessions.find(token));
  const operator = await findOperator();
  if (operator === null) throw new AppError('unauthenticated', 'This is for operators. Sign in at /operator.');
  const { operatorId, role } = operator;
  const accountId = await operators.accountExports.getAccountId(eventId, operator);
  return { accountId, operatorId, isStillAllowed: async () => (await findOperator())?.role === role };
}
