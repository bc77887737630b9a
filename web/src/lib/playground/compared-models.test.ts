import { readCompared, writeCompared } from './compared-models';

const known = ['a', 'b', 'c', 'd'];
const read = (query: string) => readCompared(new URLSearchParams(query), known);

describe('the models that are compared', () => {
  it('are at most three that exist, each once, in the order of the address', () => {
    expect(read('compare=c,a')).toEqual(['c', 'a']);
    expect(read('compare=a,a,nobody,b,c,d')).toEqual(['a', 'b', 'c']);
    expect(read('')).toEqual([]);
  });

  it('are read back as they were written, and leave the rest of the address alone', () => {
    const written = writeCompared(new URLSearchParams('tier=lower'), ['a', 'b']);
    expect(readCompared(written, known)).toEqual(['a', 'b']);
    expect(writeCompared(written, []).toString()).toBe('tier=lower');
  });
});
