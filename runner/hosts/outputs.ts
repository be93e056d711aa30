import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { openPipe } from '../../shared/home/index.ts';
import type { OutputStream } from './host.ts';

/** Where a command writes to, and where that is read. */
export interface Outputs {
  /** For its descriptors 1 and 2. */
  readonly stdio: readonly (number | 'pipe')[];
  /** Gives up the command's ends: it has its own now, or was not started. */
  release(): void;
  /** What is to be read, once it was started. */
  of(streams: Pick<ChildProcess, 'stdout' | 'stderr'>): readonly Output[];
  /** Gives up what is to be read: it was not started. */
  dispose(): void;
}

interface Output {
  readonly stream: OutputStream;
  readonly from: Readable;
}

const byNode: Outputs = {
  stdio: ['pipe', 'pipe'],
  release: () => undefined,
  of: ({ stdout, stderr }) => [
    { stream: 'stdout', from: stdout as Readable },
    { stream: 'stderr', from: stderr as Readable },
  ],
  dispose: () => undefined,
};

/**
 * Real pipes, as a shell gives them: what Node makes by itself are sockets, which a command cannot
 * open by the name `/dev/stderr`. With `oneStream` both descriptors are one pipe, so that what is
 * written comes out in order, all of it as `stdout`. Node's own where the system gives no pipes.
 */
export function openOutputs(oneStream: boolean): Outputs {
  const pipes = [openPipe(), ...(oneStream ? [] : [openPipe()])].flatMap((pipe) => pipe ?? []);
  const [first, second = first] = pipes;
  if (first === undefined || second === undefined || pipes.length < (oneStream ? 1 : 2)) {
    for (const { read, write } of pipes) for (const fd of [read, write]) closeSync(fd);
    return byNode;
  }
  const outputs = pipes.map(({ read }, index) => ({
    stream: index === 0 ? ('stdout' as const) : ('stderr' as const),
    from: new Socket({ fd: read, readable: true, writable: false }),
  }));
  return {
    stdio: [first.write, second.write],
    release: () => {
      for (const { write } of pipes) closeSync(write);
    },
    of: () => outputs,
    dispose: () => {
      for (const { from } of outputs) from.destroy();
    },
  };
}

/** Wraps shell text so that it tells, on descriptor 3, in which folder it ended; see `gatherFolder`. */
const tellingFolder = 'interlock_text=$1; shift; eval "$interlock_text" 3>&- && command pwd -P >&3';

/**
 * The arguments after `-c` that run a text byte for byte and then tell the folder. As in the shells
 * of agents' hosts, it is told where the text ended well and did not end the shell.
 */
export function tellingArguments(shell: string, text: string): readonly string[] {
  return [tellingFolder, shell, text];
}

const longestFolder = 4096;

/** Gathers what is told on descriptor 3: a folder, or null where it is nothing that could be one. */
export function gatherFolder(): {
  readonly take: (bytes: Uint8Array) => void;
  readonly folder: () => string | null;
} {
  const chunks: Uint8Array[] = [];
  let length = 0;
  return {
    take: (bytes) => {
      length += bytes.length;
      if (length <= longestFolder) chunks.push(bytes);
    },
    folder: () => {
      const told = Buffer.concat(chunks).toString('utf8');
      const folder = told.slice(0, -1);
      const isOne =
        length <= longestFolder && told.endsWith('\n') && /^\/[^\p{Cc}]*$/u.test(folder);
      return isOne ? folder : null;
    },
  };
}
