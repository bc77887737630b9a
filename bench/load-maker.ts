import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { collectorFlag } from '../server/kernel/tune-garbage-collector.js';
import type { Load, LoadFigures } from './load-types.js';

/** The process that makes the load. It ends with us. */
export class LoadMaker {
  private constructor(private readonly child: ChildProcess) {}

  static start(): LoadMaker {
    // Collections of its own would take the cores from whoever is measured.
    return new LoadMaker(fork(join(import.meta.dirname, 'load-process.js'), { execArgv: [collectorFlag] }));
  }

  /** One order at a time. @throws when the process has ended. */
  run(load: Load): Promise<LoadFigures> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('The process that makes the load has ended.'));
      this.child.once('exit', onExit);
      this.child.once('message', (figures) => {
        this.child.off('exit', onExit);
        resolve(figures as LoadFigures);
      });
      this.child.send(load);
    });
  }

  stop(): void {
    if (this.child.connected) this.child.disconnect();
  }
}
