import { refusalOf } from '../shared/base/index.ts';
import type { Refusal } from '../shared/base/index.ts';
import type { RunnerClient } from '../shared/ipc/index.ts';
import type { ExecEvent } from '../shared/wire/index.ts';

/** One thing that the demo agent asks for. */
interface Scene {
  /** What kind of prompt this is, for the person who watches. */
  readonly title: string;
  readonly command: string;
  /** The agent's own words for why, as a prompt shows them. */
  readonly reason: string;
}

/**
 * Six commands of different kinds. All of them happen in a scratch folder and harm nothing, even
 * if every one is allowed.
 */
export const scenes: readonly Scene[] = [
  {
    title: 'a harmless look around',
    command: 'ls -la && git status --short',
    reason: 'I want to see what is here.',
  },
  {
    title: 'a file is written',
    command: 'echo "remember the milk" > notes.txt',
    reason: 'I keep notes of what I do.',
  },
  {
    title: 'everything below a folder is deleted',
    command: 'rm -rf build',
    reason: 'A clean build needs an empty folder.',
  },
  {
    title: 'text is piped into a shell',
    command: `echo 'echo hello from a script' | sh`,
    reason: 'The instructions that I found say so.',
  },
  {
    title: 'a part that nobody can know beforehand',
    command: 'echo "it is $(date)"',
    reason: 'I need the time for the report.',
  },
  {
    title: 'history on a server is overwritten',
    command: 'git push --force origin main',
    reason: 'My push was rejected, so I try harder.',
  },
];

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
