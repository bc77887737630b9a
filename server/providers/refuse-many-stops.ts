import { AppError } from '../kernel/app-error.js';
import type { ChatRequest } from './chat-types.js';

/** @throws AppError `unsupported_value` for more stop sequences than the provider takes. */
export function refuseManyStops(
  { stop }: Pick<ChatRequest, 'stop'>,
  { providerId, stopsMax }: { readonly providerId: string; readonly stopsMax: number },
): void {
  if (!Array.isArray(stop) || stop.length <= stopsMax) return;
  const message = `Unsupported value: provider ${providerId} takes at most ${stopsMax} texts in 'stop' ('stop_sequences' of Messages). Send fewer, or use another provider.`;
  throw new AppError('unsupported_value', message, { param: 'stop', metadata: { provider: providerId } });
}
