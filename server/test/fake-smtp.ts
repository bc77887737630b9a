import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A mail server that keeps what it is given. */
export class FakeSmtp {
  /** Each mail as it came: headers and text. */
  readonly mails: string[] = [];
  /** Answers every mail with a passing refusal. */
  isBusy = false;
  /** Takes connections and says nothing. */
  isSilent = false;

  readonly #sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      this.#serve(socket);
    });
  }

  static async start(): Promise<FakeSmtp> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeSmtp(server);
  }

  /** For `SMTP_URL`. */
  get url(): string {
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.server, 'close');
  }

  #serve(socket: Socket): void {
    let buffered = '';
    let isMail = false;
    const say = (line: string) => socket.write(`${line}\r\n`);
    socket.on('error', () => {});
    socket.setEncoding('utf8');
    if (!this.isSilent) say('220 fake');
    socket.on('data', (piece: string) => {
      buffered += piece;
      for (let end = buffered.indexOf(isMail ? '\r\n.\r\n' : '\r\n'); end !== -1; ) {
        const text = buffered.slice(0, end);
        buffered = buffered.slice(end + (isMail ? 5 : 2));
        if (isMail) {
          isMail = false;
          if (!this.isBusy) this.mails.push(text);
          say(this.isBusy ? '451 later' : '250 taken');
        } else if (/^DATA/i.test(text)) {
          isMail = true;
          say('354 go on');
        } else if (/^QUIT/i.test(text)) socket.end('221 bye\r\n');
        else say('250 fine');
        end = buffered.indexOf(isMail ? '\r\n.\r\n' : '\r\n');
      }
    });
  }
}
