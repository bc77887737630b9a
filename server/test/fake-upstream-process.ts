import { FakeUpstream } from './fake-upstream.js';

// Run as a process of its own: prints {"port": …, "baseUrl": …} on standard output, then answers until it is ended.
const upstream = await FakeUpstream.start(Number(process.argv[2] ?? 0));
process.stdout.write(`${JSON.stringify({ port: upstream.port, baseUrl: upstream.baseUrl })}\n`);
