import { chownSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compile, messageOf, refuse } from '../../shared/base/index.ts';
import { agentOfBox } from '../../shared/engine/index.ts';
import { openToolPolicies, parseStat } from '../../shared/home/index.ts';
import { nodeServer, peerCredentials, publishSocket } from '../../shared/ipc/index.ts';
import { execRequestSchema } from '../../shared/wire/index.ts';
import type { BoxCall } from '../../shared/wire/index.ts';
import { parseDuration } from '../cli/options.ts';
import type { Gate } from '../gate/gate.ts';
import type { ExecIncoming } from '../gate/request-context.ts';
import type { GateIo } from '../hosts/host.ts';
import type { Principals } from '../principals/callers.ts';
import type { Log } from '../service/log.ts';
import { brokerHost } from '../tools/broker.ts';
import { callHere, realFolder, sameWhenStarting } from './box-call.ts';
import { createCallServer, createEntrance } from './call-server.ts';
import type { CallDoor } from './call-server.ts';
import { doorName } from './tool-entries.ts';

/** A named box that asks. */
export interface AskingBox {
  readonly name: string;
  /** Its workspace, which is the one folder that it has in common with this machine. */
  readonly workspace: string;
  /** By which the repository of the workspace is known that was there when the box began. */
  readonly history: string | null;
  /** Whose user's its programs are. */
  readonly uid: number;
  /** The process above all that runs in it. */
  readonly keeper: number;
  /** The folder of this machine that it sees for its door. */
  readonly folder: string;
}

export interface BoxDoorsOptions {
  /** `policy` of the home. */
  readonly policies: string;
  readonly uid: number;
  /** Directories of the PATH that commands get. */
  readonly path: readonly string[];
  readonly gate: () => Pick<Gate, 'exec'>;
  readonly principals: Pick<Principals, 'key'>;
  readonly log: Pick<Log, 'warn'>;
  /** Who stands above a process; for tests. */
  readonly parentOf?: (pid: number) => number | null;
}

/**
 * The way by which a named box asks for this machine: `interlock run` and brokered tools, in the name
 * of its own agent and of no other. There is no key in the box: whose calls they are follows from the
 * socket, which stands in a folder that this one box sees, and from who is at its other end.
 */
export function createBoxDoors(options: BoxDoorsOptions) {
  const { log, uid } = options;
  const server = createCallServer(log);
  const policies = openToolPolicies(options.policies, uid, options.path);
  return {
    /** Opens the door of a box that runs; answers how to close it. Rejects where it cannot be opened. */
    open: async (box: AskingBox): Promise<() => void> => {
      const door: CallDoor = {
        id: `box:${box.name}`,
        take: async (call, io, socket) => {
          const isRun = call.argv[0] === 'interlock';
          const asked = isRun
            ? runRequestOf(call, box.workspace)
            : await toolRequestOf(call, box, policies);
          await ask(asked, { ...options, box, io: isRun ? tellingOfWait(io) : io, socket });
        },
        calls: 0,
      };
      const entrance = createEntrance(
        (socket) => server.serve(socket, door),
        (socket) => !isInBox(socket, box, options.parentOf ?? parentOf),
      );
      entrance.open();
      const listener = createServer(entrance.take);
      listener.on('error', (error) =>
        log.warn(`The door of the box "${box.name}" failed: ${messageOf(error)}`),
      );
      const withdraw = await publishSocket(join(box.folder, doorName), {
        ...nodeServer(listener),
        ...(box.uid !== uid && { prepare: (made) => chownSync(made, box.uid, -1) }),
      });
      listener.unref();
      return () => {
        withdraw();
        listener.close();
        entrance.close();
      };
    },
    dispose: server.dispose,
  };
}

/** Puts a request to the gate as the agent that the box is. */
async function ask(
  { request, ...more }: Pick<ExecIncoming, 'request' | 'starting'>,
  {
    box,
    io,
    socket,
    gate,
    principals,
    uid,
  }: BoxDoorsOptions & {
    readonly box: AskingBox;
    readonly io: GateIo;
    readonly socket: Socket;
  },
): Promise<void> {
  const agent = agentOfBox(box.name);
  await gate().exec(
    {
      kind: 'exec',
      ...more,
      request: { ...request, agent, session: box.name },
      // The box acts for whose home it is of; its programs may be another user's by number.
      peer: { uid, pid: peerCredentials(socket)?.pid ?? null },
      prove: async () => {
        if ((await principals.key(agent)) !== null) return agent;
        throw refuse(
          'hmac-fail',
          `The key of the box "${box.name}" was taken away.`,
          `A person starts it anew: interlock box down ${box.name}, then interlock box up.`,
        );
      },
    },
    io,
  );
}

const mostParents = 4_096;

/**
 * Whether whoever connects is below the keeper of the box, as all in it is. A number may be another's by
 * now, so this only turns away: that one comes by this socket is what says whose box it is.
 */
function isInBox(
  socket: Socket,
  { keeper }: Pick<AskingBox, 'keeper'>,
  parent: (pid: number) => number | null,
): boolean {
  let here = peerCredentials(socket)?.pid ?? null;
  for (let steps = 0; here !== null && here > 1 && steps < mostParents; steps += 1) {
    here = parent(here);
    if (here === keeper) return true;
  }
  return false;
}

function parentOf(pid: number): number | null {
  try {
    return parseStat(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'))?.parent ?? null;
  } catch {
    return null;
  }
}

async function toolRequestOf(
  call: BoxCall,
  { workspace, history }: AskingBox,
  policies: ReturnType<typeof openToolPolicies>,
): Promise<Pick<ExecIncoming, 'request' | 'starting'>> {
  const known = await policies.look();
  const place = { task: { cwd: workspace }, policies: known, workspace, history, stays: true };
  const { request, starting } = callHere(call, place);
  return { request: { ...request, host: brokerHost }, starting };
}

/** An agent that hears nothing takes what it asked for to hang. */
function tellingOfWait(io: GateIo): GateIo {
  return {
    ...io,
    emit: async (event) => {
      await io.emit(event);
      if (event.type !== 'pending') return;
      const data = 'interlock: waiting for a person to decide\n';
      await io.emit({ type: 'stderr', id: event.id, encoding: 'utf8', data });
    },
  };
}

const runOptions = {
  command: { type: 'string', short: 'c' },
  cwd: { type: 'string' },
  env: { type: 'string', multiple: true },
  reason: { type: 'string' },
  stdin: { type: 'boolean' },
  timeout: { type: 'string' },
} as const;

const check = compile(execRequestSchema);
const usage =
  'In a box: interlock run [--reason WORDS] [--timeout 5m] [--cwd FOLDER] [--env NAME=VALUE] [--stdin] -- PROGRAM …, or interlock run -c TEXT.';

/**
 * What `interlock run` in a box asks for. It is about the machine outside, so that is where it runs; and
 * it leaves the box, so a person is asked each time: rules that allow were made for agents that are in
 * none, and what they allow may obey files that the box wrote. Throws a refusal.
 */
export function runRequestOf(
  { argv, cwd, stdin }: BoxCall,
  workspace: string,
): Pick<Required<ExecIncoming>, 'request' | 'starting'> {
  const [, word, ...words] = argv;
  if (word !== 'run') throw misread('interlock does nothing but "run" in a box.');
  const { values, rest } = readWords(words);
  const { command, reason, timeout, env = [] } = values;
  const folder = realFolder(resolve(cwd, values.cwd ?? '.'), workspace);
  if (folder === null)
    throw refuse(
      'invalid-request',
      `This machine has of the box only its workspace, and not ${(values.cwd ?? cwd).slice(0, 200)}.`,
      `Ask in ${workspace}, or name a folder of it with --cwd.`,
    );
  const request = {
    cwd: folder,
    host: 'gateway',
    ask: 'always' as const,
    ...(rest.length > 0 && { argv: rest }),
    ...(command !== undefined && { command }),
    ...(env.length > 0 && { env: Object.fromEntries(env.map(pairOf)) }),
    ...(reason !== undefined && { statedReason: reason }),
    ...(timeout !== undefined && { timeoutMs: durationOf(timeout) }),
    ...(stdin !== undefined && { stdin }),
  };
  if ((command === undefined) === (rest.length === 0))
    throw misread('It takes either a program with its arguments, or a text with -c.');
  const checked = check(request);
  if (!checked.ok) throw misread(checked.error);
  return { request: checked.value, starting: sameWhenStarting(checked.value, workspace) };
}

/** Options end at the first word that is none, as outside. */
function readWords(words: readonly string[]) {
  const { tokens } = parseArgs({
    args: [...words],
    options: runOptions,
    strict: false,
    tokens: true,
  });
  const end = tokens.find(({ kind }) => kind !== 'option');
  const at = end?.index ?? words.length;
  const rest = words.slice(end?.kind === 'option-terminator' ? at + 1 : at);
  try {
    return { values: parseArgs({ args: words.slice(0, at), options: runOptions }).values, rest };
  } catch (error) {
    throw misread(messageOf(error));
  }
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw misread('--env takes NAME=VALUE.');
  return [text.slice(0, at), text.slice(at + 1)];
}

function durationOf(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw misread(messageOf(error));
  }
}

function misread(why: string): Error {
  return refuse('invalid-request', why, usage);
}
