import { readContent } from '../../lib/kept-list';
import type { ChatSettings } from '../../lib/playground/chat-body';

/** How a question is asked, and of whom else. */
export interface PlaygroundSettings extends ChatSettings {
  /** The models that are asked beside the chosen one. */
  readonly beside: readonly string[];
}

/** What one begins with; the model is chosen once it is known which there are. */
export const usualSettings: PlaygroundSettings = {
  model: '',
  beside: [],
  system: '',
  temperature: null,
  maxTokens: null,
  isStreamed: true,
  schema: '',
  tools: '',
};

/** Each model that a question goes to, once. */
export function modelsAsked({ model, beside }: PlaygroundSettings): readonly string[] {
  return [...new Set([model, ...beside])];
}

/** Settings that the account keeps; what cannot be read of them is as one begins. */
export function readSettings(content: string): PlaygroundSettings {
  const kept = readContent(content);
  const text = (name: 'model' | 'system' | 'schema' | 'tools') => {
    const value = kept[name];
    return typeof value === 'string' ? value : '';
  };
  const number = (name: 'temperature' | 'maxTokens') => {
    const value = kept[name];
    return typeof value === 'number' ? value : null;
  };
  const { beside, isStreamed } = kept;
  return {
    ...usualSettings,
    model: text('model'),
    system: text('system'),
    schema: text('schema'),
    tools: text('tools'),
    temperature: number('temperature'),
    maxTokens: number('maxTokens'),
    isStreamed: isStreamed !== false,
    beside: Array.isArray(beside) ? beside.filter((one): one is string => typeof one === 'string') : [],
  };
}
