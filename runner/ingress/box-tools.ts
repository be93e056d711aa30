import { randomBytes } from 'node:crypto';
import { chownSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { createServer as createListener } from 'node:net';
import type { Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import type { BrokeredCalls } from '../../shared/engine/index.ts';
import { openToolPolicies, programOnPath } from '../../shared/home/index.ts';
import { nodeServer, peerCredentials, publishSocket } from '../../shared/ipc/index.ts';
import type { HostTask } from '../hosts/host.ts';
import type { BoxTools } from '../hosts/sandbox/launch.ts';
import type { Log } from '../service/log.ts';
import { callHere, historyMark } from './box-call.ts';
import type { CallPlace } from './box-call.ts';
import { createCallServer, createEntrance } from './call-server.ts';
import type { CallDoor } from './call-server.ts';
import { toolEntries, toolFolder } from './tool-entries.ts';

const socketName = /^tool-[0-9a-f]{8}$/u;

interface BoxToolsOptions {
  /** `policy` of the home. */
  readonly policies: string;
  /** Where the sockets stand until the sandbox has them: `state` of the home. */
  readonly directory: string;
  readonly uid: number;
  /** Absolute path of the native client, the program behind the names; null where it was not built. */
  readonly client: string | null;
  /** Directories of the PATH that commands get. */
  readonly path: readonly string[];
  /** The workspace of a command. Throws a refusal where it has none. */
  readonly workspaceOf: (task: HostTask) => string;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * The way by which commands in sandboxes call brokered tools. Each command has a socket of its own,
 * under which its calls are its agent's; whoever comes by it is in that sandbox. There is none where
 * no tool is brokered.
 */
export function createBoxTools(options: BoxToolsOptions) {
  const { directory, client } = options;
  const server = createCallServer(options.log);
  removeLeft(directory);
  const policies = openToolPolicies(options.policies, options.uid, options.path);
  return {
    open: async (task: HostTask): Promise<BoxTools | null> => {
      const { asks } = task;
      if (client === null || asks === undefined) return null;
      const known = await policies.look();
      if (known.size === 0) return null;
      const workspace = options.workspaceOf(task);
      const history = historyMark(workspace);
      const from: CallPlace = { task, policies: known, workspace, history };
      const door: CallDoor = {
        id: task.id,
        take: async (call, io) => {
          const { request, starting } = callHere(call, from);
          await asks(request, io, starting);
        },
        calls: 0,
      };
      const path = join(directory, `tool-${randomBytes(4).toString('hex')}`);
      const entrance = createEntrance((socket) => server.serve(socket, door), isOutside);
      const listener = createListener(entrance.take);
      listener.on('error', (error) =>
        options.log.warn(`A sandbox lost its tools: ${error.message}`),
      );
      const withdraw = await publishSocket(path, nodeServer(listener));
      listener.unref();
      return {
        folder: toolFolder,
        insteadOf: (file) => {
          const real = realOf(file);
          const isIt = (tool: string): boolean =>
            real !== null && real === programOf(tool, options);
          const name = [...known.keys()].find(isIt);
          return name === undefined ? null : `${toolFolder}/${name}`;
        },
        entriesFor: (uid) => {
          if (uid !== options.uid) chownSync(path, uid, -1);
          return toolEntries(known, {
            ...options,
            client,
            door: { source: path, name: 'door' },
          });
        },
        begun: () => {
          withdraw();
          entrance.open();
        },
        close: () => {
          withdraw();
          listener.close();
          entrance.close();
        },
      };
    },
    /** Calls that come here, as of the last look. */
    calls: (): BrokeredCalls => (client === null ? new Map() : policies.calls()),
    /** Looks at the policies anew. */
    look: async (): Promise<void> => void (await policies.look()),
    dispose: server.dispose,
  };
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function programOf(tool: string, { path }: Pick<BoxToolsOptions, 'path'>): string | null {
  const file = programOnPath(tool, path.join(delimiter));
  return file === null ? null : realOf(file);
}

/** Whoever sees the same mounts as we do is in no sandbox, however it came to the socket. */
function isOutside(socket: Socket): boolean {
  const pid = peerCredentials(socket)?.pid ?? null;
  if (pid === null) return true;
  try {
    return readlinkSync(`/proc/${String(pid)}/ns/mnt`) === readlinkSync('/proc/self/ns/mnt');
  } catch {
    // It is another user's in its own sandbox, or has ended.
    return false;
  }
}

/** What a runner left that was killed. */
function removeLeft(directory: string): void {
  try {
    for (const name of readdirSync(directory))
      if (socketName.test(name)) rmSync(join(directory, name), { force: true });
  } catch {
    // Where there is no such folder yet nothing was left.
  }
}
