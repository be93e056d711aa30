import { randomBytes } from 'node:crypto';
import { chownSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createListener } from 'node:net';
import type { Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { compile, messageOf, parseJson, refusalOf, refuse } from '../../shared/base/index.ts';
import { brokeredWords } from '../../shared/engine/index.ts';
import type { BrokeredCalls, ToolPolicy } from '../../shared/engine/index.ts';
import { openToolPolicies, programOnPath, replaceableProgram } from '../../shared/home/index.ts';
import { nodeServer, peerCredentials, publishSocket } from '../../shared/ipc/index.ts';
import { boxCallSchema, maxExecBodyBytes } from '../../shared/wire/index.ts';
import type { BoxCall } from '../../shared/wire/index.ts';
import type { AskForTool, HostTask } from '../hosts/host.ts';
import type { BoxTools } from '../hosts/sandbox/launch.ts';
import type { Entry } from '../hosts/sandbox/message.ts';
import type { Log } from '../service/log.ts';
import { asHere, historyMark } from './box-call.ts';
import type { CallPlace } from './box-call.ts';
import { frameStream, lastFrames } from './http/frames.ts';

/** Where a sandbox has what brings calls here (`runner/client/shim.c`). */
const place = '/run/interlock-tools';
const socketName = /^tool-[0-9a-f]{8}$/u;

export interface BoxToolsOptions {
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

/** Calls of one sandbox at once, and connections, which are descriptors of the runner. */
const mostCalls = 8;
const mostConnections = 64;

interface Door extends CallPlace {
  readonly asks: AskForTool;
  calls: number;
}

/**
 * The way by which commands in sandboxes call brokered tools. Each command has a socket of its own,
 * under which its calls are its agent's; whoever comes by it is in that sandbox. There is none where
 * no tool is brokered.
 */
export function createBoxTools(options: BoxToolsOptions) {
  const { directory, client } = options;
  const doors = new WeakMap<object, Door>();
  const server = createServer(
    { keepAlive: false, headersTimeout: 5_000, requestTimeout: 30_000, maxHeaderSize: 4_096 },
    (request, response) => {
      const door = doors.get(request.socket);
      if (door === undefined) request.destroy();
      else void answer(request, response, { door, ...options });
    },
  );
  server.on('clientError', (_error, socket) => socket.destroy());
  // It gets its connections from the doors; it is this that has it watch for slow ones.
  server.emit('listening');
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
      const door: Door = { task, asks, policies: known, workspace, history, calls: 0 };
      const path = join(directory, `tool-${randomBytes(4).toString('hex')}`);
      const entrance = createEntrance((socket) => {
        doors.set(socket, door);
        server.emit('connection', socket);
      });
      const listener = createListener(entrance.take);
      listener.on('error', (error) =>
        options.log.warn(`A sandbox lost its tools: ${error.message}`),
      );
      const withdraw = await publishSocket(path, nodeServer(listener));
      listener.unref();
      return {
        folder: `${place}/bin`,
        insteadOf: (file) => {
          const real = realOf(file);
          const isIt = (tool: string): boolean =>
            real !== null && real === programOf(tool, options);
          const name = [...known.keys()].find(isIt);
          return name === undefined ? null : `${place}/bin/${name}`;
        },
        entriesFor: (uid) => {
          if (uid !== options.uid) chownSync(path, uid, -1);
          return entriesOf({ ...options, client }, path, known);
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
    dispose: (): void => {
      server.close();
      server.closeAllConnections();
    },
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

/** Connections of one sandbox: those that come before we know that it stands wait for that. */
function createEntrance(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const waiting: Socket[] = [];
  let isOpen = false;
  return {
    take: (socket: Socket): void => {
      if (sockets.size >= mostConnections || isOutside(socket)) {
        socket.destroy();
        return;
      }
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
      if (isOpen) serve(socket);
      else waiting.push(socket);
    },
    open: (): void => {
      isOpen = true;
      for (const socket of waiting.splice(0)) serve(socket);
    },
    close: (): void => {
      for (const socket of sockets) socket.destroy();
    },
  };
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

function entriesOf(
  { client, path }: Pick<BoxToolsOptions, 'path'> & { readonly client: string },
  socket: string,
  policies: ReadonlyMap<string, ToolPolicy>,
): readonly Entry[] {
  const bind = (target: string, source: string): Entry => ({
    kind: 'bind',
    target,
    source,
    ours: true,
    ifPresent: true,
  });
  const lines = [...policies].map(([tool, policy]) => [tool, ...brokeredWords(policy)].join(' '));
  return [
    bind(`${place}/shim`, client),
    bind(`${place}/door`, socket),
    { kind: 'file', target: `${place}/calls`, content: `${lines.join('\n')}\n` },
    ...[...policies.values()].flatMap((policy): readonly Entry[] => {
      const { tool } = policy;
      const link: Entry = { kind: 'link', target: `${place}/bin/${tool}`, to: '../shim' };
      // A plan names its programs by their paths: what lies there is this one, too.
      const file = replaceableProgram(policy, path);
      if (file === null) return [link];
      return [bind(`${place}/programs/${tool}`, file), link, bind(file, client)];
    }),
  ];
}

const check = compile(boxCallSchema);

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { door, ...options }: BoxToolsOptions & { readonly door: Door },
): Promise<void> {
  response.shouldKeepAlive = false;
  const io = frameStream(response, lastFrames);
  door.calls += 1;
  try {
    if (door.calls > mostCalls)
      throw refuse(
        'concurrency-busy',
        'This sandbox has as many calls of tools under way as it may.',
        'Wait until one of them has ended.',
      );
    const call = await readCall(request);
    await door.asks(asHere(call, door), io);
  } catch (error) {
    const refusal = refusalOf(error) ?? inside(error, options.log);
    await letGo(request);
    await io.emit({ type: 'refused', id: door.task.id, refusal });
  } finally {
    door.calls -= 1;
    response.end();
  }
}

/** Takes what is still on its way, to nowhere: whoever cannot send all of it reads no answer. */
async function letGo(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return;
  await new Promise<void>((resolve) => {
    request.once('end', resolve).once('close', resolve).resume();
  });
}

function inside(error: unknown, log: Pick<Log, 'warn'>) {
  log.warn(`A call of a tool out of a sandbox failed: ${messageOf(error)}`);
  return refuse('host-unavailable', 'Interlock failed inside.', 'A person may look at its log.')
    .refusal;
}

async function readCall(request: IncomingMessage): Promise<BoxCall> {
  if (request.method !== 'POST' || request.url !== '/call') throw malformed('It is no call.');
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= maxExecBodyBytes) chunks.push(chunk);
  });
  await letGo(request);
  if (!request.readableEnded) throw malformed('It is cut off.');
  if (length > maxExecBodyBytes) throw malformed('It is too long.');
  const parsed = parseJson(Buffer.concat(chunks));
  if (!parsed.ok) throw malformed(parsed.error);
  const checked = check(parsed.value);
  if (!checked.ok) throw malformed(checked.error);
  return checked.value;
}

function malformed(why: string): Error {
  return refuse('invalid-request', `The call of a tool cannot be read. ${why}`, 'Send it plainly.');
}
