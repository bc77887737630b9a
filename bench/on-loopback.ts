import { type AddressInfo, Server } from 'node:net';

/*
 * Loaded into a peer before its own code: whatever it means to listen on, it listens on a free port of this machine's
 * loopback, prints that port, and ends when its standard input does.
 */
const listen = Server.prototype.listen;

Server.prototype.listen = function onLoopback(this: Server, ...wanted: unknown[]): Server {
  this.once('listening', () => process.stdout.write(`${(this.address() as AddressInfo).port}\n`));
  const whenListening = wanted.find((argument) => typeof argument === 'function');
  return Reflect.apply(listen, this, [0, '127.0.0.1', whenListening]);
};

process.stdin.resume().once('close', () => process.exit());
