import type { ServerResponse } from 'node:http';
import type { ExecEvent } from '../../../shared/api/types.ts';
import type { GateIo } from '../../gate/types.ts';

/** Writes events as NDJSON. A slow reader holds the writer back; a gone one aborts `gone`. */
export function eventStream(response: ServerResponse): GateIo {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  response.flushHeaders();
  return {
    gone: controller.signal,
    emit: (event: ExecEvent) => {
      if (response.destroyed || response.writableEnded) return undefined;
      return response.write(`${JSON.stringify(event)}\n`) ? undefined : drained(response);
    },
  };
}

async function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
