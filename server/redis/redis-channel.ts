import type { RedisConnection } from './redis-connection.js';

/** How often a subscription proves that Redis still answers. */
const proofMs = 1_000;

/** Short messages to all instances, by Redis' publish and subscribe. What is said while nobody listens, or Redis is away, is lost. */
export class RedisChannel {
  #subscriber: RedisConnection['redis'] | null = null;
  #prover: NodeJS.Timeout | null = null;
  #isHeard = false;

  constructor(
    private readonly connection: Pick<RedisConnection, 'redis' | 'duplicate'>,
    private readonly name: string,
  ) {}

  /** Whether what is published now would be heard here. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** @throws when Redis is away, or says nothing within the connection's time limit. */
  async publish(message: string): Promise<void> {
    await this.connection.redis.publish(this.name, message);
  }

  /** Calls `listener` with each message, our own too, on a connection of its own, until `rest`. */
  listen(listener: (message: string) => void): void {
    if (this.#subscriber !== null) return;
    const subscriber: RedisConnection['redis'] = this.connection.duplicate(() => this.#subscriber === subscriber);
    this.#subscriber = subscriber;
    // The connection that commands take tells the log of an outage.
    subscriber.on('error', () => {});
    subscriber.on('close', () => this.#note(subscriber, { isHeard: false }));
    subscriber.on('message', (_channel: string, message: string) => listener(message));
    subscriber.on('ready', () => {
      subscriber.subscribe(this.name).then(
        () => this.#note(subscriber, { isHeard: true }),
        () => subscriber.disconnect(true),
      );
    });
    this.#prover = setInterval(() => this.#prove(subscriber), proofMs).unref();
  }

  rest(): void {
    if (this.#prover !== null) clearInterval(this.#prover);
    this.#prover = null;
    this.#subscriber?.disconnect();
    this.#subscriber = null;
    this.#isHeard = false;
  }

  // One that stands still keeps its connections and says nothing, as it does when there is nothing to say.
  #prove(subscriber: RedisConnection['redis']): void {
    if (subscriber.status !== 'ready') return;
    subscriber.ping().catch(() => {
      if (this.#subscriber !== subscriber) return;
      this.#note(subscriber, { isHeard: false });
      subscriber.disconnect(true);
    });
  }

  #note(subscriber: RedisConnection['redis'], { isHeard }: { readonly isHeard: boolean }): void {
    if (this.#subscriber === subscriber) this.#isHeard = isHeard;
  }
}
