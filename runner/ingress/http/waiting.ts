import type { ServerResponse } from 'node:http';
import type { GateIo } from '../../gate/types.ts';

/** For answers that come in one piece: nothing is streamed, and a caller who left aborts `gone`. */
export function waiting(response: ServerResponse): GateIo {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return { gone: controller.signal, emit: () => undefined };
}
