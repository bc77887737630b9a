import { LabelledCounter } from './labelled-counter.js';
import { LabelledHistogram } from './labelled-histogram.js';
import { printMetrics } from './metric.js';

describe('LabelledCounter', () => {
  const models = { name: 'model', values: ['small', 'say "hi"\\'] };
  const colours = { name: 'colour', values: ['red', 'blue'] };

  it('counts each combination by itself, and writes its labels as Prometheus reads them', () => {
    const counter = new LabelledCounter('calls_total', 'Calls.', [models, colours]);
    counter.add(['small', 'red']);
    counter.add(['small', 'red'], 2);
    counter.add(['say "hi"\\', 'blue']);
    expect(printMetrics(counter.list())).toBe(
      '# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total{model="small",colour="red"} 3\ncalls_total{model="say \\"hi\\"\\\\",colour="blue"} 1\n',
    );
  });

  it('counts whatever its lists do not know as other, however many different words come', () => {
    const counter = new LabelledCounter('calls_total', 'Calls.', [models, colours]);
    for (let index = 0; index < 10_000; index += 1) counter.add([`invented-${index}`, 'red']);
    counter.add(['small', 'small\nred']);
    expect(counter.list().map(({ labels, value }) => `${labels} ${value}`)).toEqual([
      'model="other",colour="red" 10000',
      'model="small",colour="other" 1',
    ]);
  });

  it('keeps at most 2,000 combinations and one for the rest, and loses no count', () => {
    const values = Array.from({ length: 100 }, (_, index) => String(index));
    const counter = new LabelledCounter('calls_total', 'Calls.', [
      { name: 'a', values },
      { name: 'b', values },
    ]);
    for (const a of values) for (const b of values) counter.add([a, b]);
    const samples = counter.list();
    expect(samples.length).toBe(2_001);
    expect(samples.at(-1)).toMatchObject({ labels: 'a="other",b="other"', value: 8_000 });
  });
});

describe('LabelledHistogram', () => {
  it('puts a figure into the first bucket whose bound it does not pass, and tells buckets as growing sums', () => {
    const histogram = new LabelledHistogram('wait_seconds', 'Waits.', [0.1, 1], [{ name: 'kind', values: ['a'] }]);
    for (const seconds of [0.1, 0.5, 1, 7, -1]) histogram.observe(['a'], seconds);
    expect(printMetrics(histogram.list())).toBe(
      [
        '# HELP wait_seconds Waits.\n# TYPE wait_seconds histogram\nwait_seconds_bucket{kind="a",le="0.1"} 2',
        'wait_seconds_bucket{kind="a",le="1"} 4\nwait_seconds_bucket{kind="a",le="+Inf"} 5',
        'wait_seconds_sum{kind="a"} 8.6\nwait_seconds_count{kind="a"} 5\n',
      ].join('\n'),
    );
  });
});
