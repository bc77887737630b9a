import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';

/*
 * The least that a gateway on Node can do: `node:http` in, undici's dispatch out, bytes passed on as they come. No key, no
 * limit, no ledger, no faults handled. What we are measured against. Its only argument is the provider's address.
 */
const pool = new Pool(String(process.argv[2]), { connections: 1_024, pipelining: 1 });

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const headers = { 'content-type': 'application/json' };
    pool.dispatch(
      { path: request.url ?? '/', method: 'POST', headers, body: Buffer.concat(pieces) },
      new PassThrough(response),
    );
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.resume().once('close', () => process.exit());

class PassThrough implements Dispatcher.DispatchHandler {
  constructor(private readonly response: ServerResponse) {}

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[]>): void {
    const length = headers['content-length'];
    this.response.setHeader('content-type', headers['content-type'] ?? '');
    if (length !== undefined) this.response.setHeader('content-length', length);
    this.response.writeHead(status);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.response.write(chunk);
  }

  onResponseEnd(): void {
    this.response.end();
  }

  onResponseError(): void {
    this.response.destroy();
  }
}
