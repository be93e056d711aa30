import type { ExecEvent } from '../shared/api/types.ts';
import type { RunnerClient } from '../shared/node/runner-client/types.ts';
import { refusalOf } from '../shared/refusal/refusal.ts';
import type { Refusal } from '../shared/refusal/refusal.ts';
import type { Scene } from './script.ts';

export interface PlayOptions {
  readonly client: Pick<RunnerClient, 'exec'>;
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** How one scene ended. */
export type Outcome = 'ran' | 'refused';

/** Asks for one command and tells what became of it. Rejects when the runner is gone. */
export async function playScene(scene: Scene, options: PlayOptions): Promise<Outcome> {
  const { client, folder, say, signal } = options;
  const request = {
    command: scene.command,
    cwd: folder,
    agent: 'demo',
    session: `demo-${String(process.pid)}`,
    statedReason: scene.reason,
  };
  try {
    let outcome: Outcome = 'refused';
    for await (const event of client.exec(request, signal)) {
      for (const line of linesOf(event)) say(`   ${line}`);
      if (event.type === 'finished') outcome = 'ran';
    }
    return outcome;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    for (const line of refusalLines(refusal)) say(`   ${line}`);
    return 'refused';
  }
}

function linesOf(event: ExecEvent): readonly string[] {
  if (event.type === 'pending') return ['… waits for you: look at the approver'];
  if (event.type === 'started') return ['allowed, and runs'];
  if (event.type === 'refused') return refusalLines(event.refusal);
  if (event.type === 'finished')
    return [`ended with ${event.signal ?? `status ${String(event.exitCode)}`}`];
  return Buffer.from(event.data, event.encoding).toString('utf8').trimEnd().split('\n');
}

function refusalLines({ code, message, hint }: Refusal): readonly string[] {
  return [`refused, ${code}: ${message}`, ...(hint === '' ? [] : [hint])];
}
