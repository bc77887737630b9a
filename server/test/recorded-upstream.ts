import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

/**
 * A provider that plays one recorded answer, byte for byte, and resets the connection after as many bytes as the user's
 * words `@@offset=N` say.
 */
export class RecordedUpstream {
  readonly #server = createServer((socket) => this.#answer(socket));

  private constructor(readonly recording: Buffer) {}

  /** @param events What the recording is made of, each sent as an HTTP chunk of its own. */
  static async start(events: readonly string[]): Promise<RecordedUpstream> {
    const chunks = events.map((event) => `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`);
    const upstream = new RecordedUpstream(Buffer.from(`${head}${chunks.join('')}0\r\n\r\n`));
    upstream.#server.listen(0, '127.0.0.1');
    await once(upstream.#server, 'listening');
    return upstream;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(socket: Socket): void {
    let request = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      request += bytes.toString('latin1');
      const bodyLength = Number(/content-length: (\d+)/i.exec(request)?.[1] ?? Number.NaN);
      if (!(request.length - request.indexOf('\r\n\r\n') - 4 >= bodyLength)) return;
      const offset = Number(/@@offset=(\d+)/.exec(request)?.[1] ?? this.recording.length);
      socket.write(this.recording.subarray(0, offset), () => socket.resetAndDestroy());
    });
  }
}
