import express, { type NextFunction, type Request, type Response } from 'express';
import { z } from 'zod';
import { actAs } from '../../audit/acting.js';
import { AppError } from '../../kernel/app-error.js';
import { checkShape } from '../../kernel/json-body.js';
import type { LeakedKeys } from '../../keys/leaked-keys.js';
import type { BodyMemory } from '../calls/body-memory.js';

const bodyBytesMax = 256 * 1_024;
const textLengthMax = 2_000;

const text = z.string().max(textLengthMax);
const report = z
  .array(z.object({ token: text, type: text.default(''), url: text.nullish().transform((url) => url || null) }))
  .min(1)
  .max(1_000);

/**
 * `POST /keys/leaked`: where GitHub's secret scanning tells of keys that it found in public. The signature over the raw bytes is
 * verified before anything is read from them. 200 with one answer for each once every key has ended; 400 for what is not signed, or is no
 * report; 5xx when it had better come again.
 */
export function createLeakedKeysRoute(leaked: LeakedKeys, bodyMemory: BodyMemory) {
  const readRawBody = express.raw({ type: () => true, limit: bodyBytesMax, inflate: false });
  const receive = async (request: Request, response: Response): Promise<void> => {
    const keyName = request.get('github-public-key-identifier') ?? '';
    const signature = request.get('github-public-key-signature') ?? '';
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (!(await leaked.isSigned(bytes, { keyName, signature }))) {
      throw new AppError('invalid_value', 'This report is not signed by a key of the scanner.');
    }
    const { data: found, success } = checkShape(report, readJson(bytes));
    if (!success) throw new AppError('invalid_value', 'This report is signed, but it is no list of 1 to 1,000 tokens.');
    const actor = { actorId: null, address: request.ip ?? 'unknown', userAgent: request.get('user-agent') ?? null };
    response.json(await actAs(actor, () => leaked.report(found)));
  };
  return (request: Request, response: Response, next: NextFunction): void => {
    response.once('close', bodyMemory.takeAnnounced(request, 'scanner', bodyBytesMax));
    readRawBody(request, response, (fault?: unknown) => {
      if (fault) next(fault);
      else void receive(request, response).catch(next);
    });
  };
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
