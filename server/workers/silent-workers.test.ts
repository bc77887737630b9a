import { FellowWorkers } from './fellow-workers.js';
import { SilentWorkers, startingUnansweredMax, unansweredMax } from './silent-workers.js';
import { isWorkerMessage, type PrimaryMessage } from './worker-messages.js';
import type { ReportingWorker } from './worker-reports.js';

describe('SilentWorkers', () => {
  const silent: number[] = [];
  const watch = new SilentWorkers(({ pid }) => void silent.push(pid));
  const asked: number[] = [];
  const addWorker = (pid: number, answers: (nth: number) => boolean, isListening = true) => {
    let questions = 0;
    const worker: ReportingWorker = {
      pid,
      send: () => {
        asked.push(pid);
        questions += 1;
        if (answers(questions)) watch.hear(worker);
      },
    };
    watch.add(worker);
    if (isListening) watch.noteListening(worker);
    return worker;
  };
  afterAll(() => watch.close());

  it('tells once of a worker that has left six questions in a row unanswered, and of no other', () => {
    addWorker(1, () => true);
    addWorker(2, () => false);
    addWorker(3, (nth) => nth % unansweredMax === 0);
    const ended = addWorker(4, () => false);
    for (let round = 0; round < unansweredMax; round += 1) watch.ask();
    expect(silent).toEqual([]);
    watch.remove(ended);
    for (let round = 0; round < 3 * unansweredMax; round += 1) watch.ask();
    expect(silent).toEqual([2]);
    expect(asked.filter((pid) => pid === 2)).toHaveLength(unansweredMax);
  });

  it('tells of one that hangs before it listens, after longer, and of none that answers meanwhile', () => {
    silent.length = 0;
    addWorker(6, () => false, false);
    addWorker(7, (nth) => nth % startingUnansweredMax === 0, false);
    for (let round = 0; round < startingUnansweredMax; round += 1) watch.ask();
    expect(silent).toEqual([]);
    watch.ask();
    expect(silent).toEqual([6]);
    for (let round = 0; round < 3 * startingUnansweredMax; round += 1) watch.ask();
    expect(silent).toEqual([6]);
  });

  it('is answered by every worker whose loop turns', () => {
    const ended: number[] = [];
    const primary = new SilentWorkers(({ pid }) => void ended.push(pid));
    let tell: (message: unknown) => void = () => {};
    const worker: ReportingWorker = { pid: 5, send: (message: PrimaryMessage) => tell(message) };
    const channel = {
      send: (message: unknown) => void (isWorkerMessage(message) && primary.hear(worker)),
      onMessage: (listener: (message: unknown) => void) => {
        tell = listener;
      },
    };
    expect(new FellowWorkers(channel, 5).pid).toBe(5);
    primary.add(worker);
    for (let round = 0; round < 3 * unansweredMax; round += 1) primary.ask();
    primary.close();
    expect(ended).toEqual([]);
  });
});
