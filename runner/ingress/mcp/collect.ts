import { maxResultLength } from '../../../shared/api/limits.ts';
import type { ExecEvent } from '../../../shared/api/types.ts';
import { createCapture } from '../../output/capture.ts';
import type { Captured } from '../../output/capture.ts';

type OutputEvent = Extract<ExecEvent, { type: 'stdout' | 'stderr' }>;

/** Gathers a command's output up to the cap of results; both streams share it. */
export function outputCollector(): {
  add(event: OutputEvent): void;
  result(): Omit<Captured, 'tail'>;
} {
  const capture = createCapture(maxResultLength, 1);
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  return {
    add: ({ type, data, encoding }) => {
      const bytes = Buffer.from(data, encoding);
      capture.add(type, decoders[type].decode(bytes, { stream: true }));
    },
    result: () => {
      for (const type of ['stdout', 'stderr'] as const) capture.add(type, decoders[type].decode());
      const { stdout, stderr, truncated } = capture.result();
      return { stdout, stderr, truncated };
    },
  };
}
