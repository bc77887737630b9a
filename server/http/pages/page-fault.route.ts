import express, { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { networkOf } from '../../kernel/addresses/network-address.js';
import type { AttemptCounter, OpenAttemptCounter } from '../../kernel/attempt-counter.js';
import { checkShape } from '../../kernel/json-body.js';
import type { Logger } from '../../kernel/logger.js';

const bodyBytesMax = 8_192;
const framesMax = 8;
const reportsPerMinute = 10;

const shape = z.object({
  name: z.string().max(60),
  page: z.string().max(200),
  stack: z.string().max(6_000),
});

/**
 * `POST /page-faults`: a page of the dashboard tells that it broke, and the log has `page_broke` with the kind of the error, the
 * page and the places in our own scripts. The words of an error may quote what somebody typed, so they are never written, and
 * whatever else is sent is dropped. Ten a minute from one network; what is beyond that, or not to be read, is answered alike.
 */
export function createPageFaultRoute(openCounter: OpenAttemptCounter, logger: Logger): Router {
  const counter: AttemptCounter = openCounter({
    kind: 'page-fault',
    max: reportsPerMinute,
    windowMs: 60_000,
    isFinal: true,
  });
  const router = Router();
  router.post(
    '/',
    express.json({ limit: bodyBytesMax, inflate: false }),
    async (request: Request, response: Response) => {
      const report = checkShape(shape, request.body);
      const standing = await counter.count(networkOf(request.ip ?? 'unknown'));
      if (report.success && standing.waitMs === 0) logger.warn('page_broke', toLogLine(report.data));
      response.status(204).set('cache-control', 'no-store').end();
    },
  );
  return router;
}

function toLogLine({ name, page, stack }: z.output<typeof shape>) {
  return {
    error: /^[A-Za-z]{1,40}$/.test(name) ? name : 'Error',
    // An address of ours has no more than this; ids are left out.
    page: /^\/[a-z/-]{0,60}/.exec(page)?.[0] ?? '/',
    at: (stack.match(/\/assets\/[\w.-]{1,80}\.js:\d{1,7}:\d{1,7}/g) ?? []).slice(0, framesMax),
  };
}
