import { once } from 'node:events';
import { maxResultLength, truncationMark } from '../../../shared/api/limits.ts';
import type { ExecEvent } from '../../../shared/api/types.ts';
import type { Refusal } from '../../../shared/refusal/refusal.ts';
import type { Output } from '../io.ts';
import { sayJson } from '../io.ts';

export type OutputEvent = Extract<ExecEvent, { type: 'stdout' | 'stderr' }>;
export type FinishedEvent = Extract<ExecEvent, { type: 'finished' }>;

/** Where a command's output goes, and how its end is told. */
export interface OutputSink {
  write(event: OutputEvent): Promise<void>;
  finished(event: FinishedEvent): void;
  refused(id: string | null, refusal: Refusal): void;
}

/** Passes bytes on as they come, no faster than the reader takes them. */
export function streamingSink(streams: {
  readonly stdout: Output;
  readonly stderr: Output;
}): OutputSink {
  return {
    write: async (event) => {
      const stream = streams[event.type];
      if (!stream.write(bytesOf(event)) && !stream.destroyed) await once(stream, 'drain');
    },
    finished: () => undefined,
    refused: () => undefined,
  };
}

/** Collects everything and prints one JSON object at the end. Both streams share one cap. */
export function jsonSink(stdout: Output): OutputSink {
  const texts = { stdout: '', stderr: '' };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let truncated = false;
  return {
    write: async (event) => {
      const text = decoders[event.type].decode(bytesOf(event), { stream: true });
      const left = maxResultLength - texts.stdout.length - texts.stderr.length;
      if (text.length > left && !truncated) {
        truncated = true;
        texts[event.type] += text.slice(0, left) + truncationMark;
      } else if (!truncated) texts[event.type] += text;
      return Promise.resolve();
    },
    finished: ({ id, exitCode, signal, durationMs }) => {
      sayJson(stdout, { ok: true, id, exitCode, signal, durationMs, ...texts, truncated });
    },
    refused: (id, refusal) => {
      sayJson(stdout, { ok: false, id, refusal });
    },
  };
}

function bytesOf(event: OutputEvent): Buffer {
  return Buffer.from(event.data, event.encoding);
}
