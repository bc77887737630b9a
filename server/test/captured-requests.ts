import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One request of a real client, as it was recorded; its texts are shortened. */
export interface CapturedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown> & { model: string };
}

const folder = join(import.meta.dirname, '../../../server/test/captured');

/** What clients were seen to POST to this address: the client's name and a number, and the request. */
export function listCaptured(path: string): (readonly [string, CapturedRequest])[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const { requests } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { requests: CapturedRequest[] };
      return requests
        .filter((request) => request.method === 'POST' && request.path === path)
        .map((request, index) => [`${file.replace('.json', '')} ${index + 1}`, request] as const);
    });
}
