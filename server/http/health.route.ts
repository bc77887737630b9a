import type { Request, Response } from 'express';

/**
 * `GET /healthz`: 200 while the database answers, else 503. For load balancers and people; says nothing about anybody.
 * @param checkDatabase Resolves when the database has answered a query.
 */
export function createHealthRoute(checkDatabase: () => Promise<unknown>) {
  return async (_request: Request, response: Response): Promise<void> => {
    const isDatabaseUp = await checkDatabase().then(
      () => true,
      () => false,
    );
    response
      .status(isDatabaseUp ? 200 : 503)
      .set('cache-control', 'no-store')
      .json({ status: isDatabaseUp ? 'ok' : 'unavailable', database: isDatabaseUp ? 'up' : 'down' });
  };
}
