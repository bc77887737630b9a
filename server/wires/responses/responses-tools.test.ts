import { flattenChoice, type NamespacedTool, readResponsesTools } from './responses-tools.js';

/** Counts how often somebody goes through it. */
class WatchedMap extends Map<string, NamespacedTool> {
  walks = 0;

  override [Symbol.iterator]() {
    this.walks += 1;
    return super[Symbol.iterator]();
  }
}

const many = Array.from({ length: 100 }, (_, index) => `tool_${index}`);

describe('A namespace of tools', () => {
  it('has a name that is short, before it is written once more for each of its tools', () => {
    const toTools = (length: number) => [
      { type: 'function' },
      { type: 'namespace', name: 'n'.repeat(length), tools: [] },
    ];
    expect(() => readResponsesTools(toTools(64))).not.toThrow();
    const refusal = { code: 'invalid_value', param: 'tools[1].name' };
    expect(() => readResponsesTools(toTools(65))).toThrow(expect.objectContaining(refusal));
  });

  it('is gone through once, however many tools are chosen', () => {
    const namespaced = new WatchedMap(many.map((name) => [`crm__${name}`, { namespace: 'crm', name }]));
    const choice = { type: 'allowed_tools', mode: 'auto', tools: many.map((name) => ({ type: 'function', name })) };
    const { tools } = flattenChoice(choice, { tools: [], namespaced }) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(many.map((name) => `crm__${name}`));
    expect(namespaced.walks).toBe(1);
  });

  it('is told from another one with a tool of the same name by its own name alone', () => {
    const namespaced = new Map(
      ['crm', 'erp'].map((namespace) => [`${namespace}__find`, { namespace, name: 'find' }] as const),
    );
    const named = (name: string) => flattenChoice({ type: 'function', name }, { tools: [], namespaced });
    expect(named('erp.find')).toMatchObject({ name: 'erp__find' });
    expect(named('find')).toMatchObject({ name: 'find' });
  });
});
