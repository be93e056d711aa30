import { createTokenBucket, refusalOf, refuse } from '../../../shared/base/index.ts';
import type { Clock, Refusal } from '../../../shared/base/index.ts';
import type { Config } from '../../../shared/engine/index.ts';
import type { SharedFolder } from '../../../shared/home/index.ts';
import { isSignedDescriptor } from '../../../shared/ipc/index.ts';
import { maxDescriptorBytes } from '../../../shared/wire/index.ts';
import type { Descriptor } from '../../../shared/wire/index.ts';
import type { Gate } from '../../gate/gate.ts';
import type { ExecIncoming, GateResult } from '../../gate/request-context.ts';
import type { StopSwitch } from '../../lockout/stop-switch.ts';
import type { Principals } from '../../principals/callers.ts';
import type { Log } from '../../service/log.ts';
import { answerOf, nobodyKnown, refusedAnswer } from './answers.ts';
import type { Answers } from './answers.ts';
import type { Journal } from './journal.ts';
import { askedFor, execRequestOf, isPause, readDescriptor, readTeardown } from './request.ts';

/** How far the clock of a sandbox may be ahead of ours, in milliseconds. */
const mostAheadMs = 60_000;
/** The greatest `rpc.staleMs`: for so long a nonce is remembered, whatever the setting is by now. */
const longestStaleMs = 3_600_000;

/** A shared folder that is open, with what `config.json` says of it. */
export interface Door {
  readonly folder: SharedFolder;
  /** Whether this agent may ask through it. */
  readonly admits: (principal: string) => boolean;
}

/** A request that waits for its turn, or has it. */
export interface Request {
  readonly door: Door;
  readonly descriptor: Descriptor;
  readonly createdAt: number;
  readonly gone: AbortController;
}

export interface TurnPorts {
  readonly clock: Clock;
  readonly uid: number;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly gate: Pick<Gate, 'exec'>;
  readonly stops: Pick<StopSwitch, 'check' | 'pause'>;
  readonly principals: Pick<Principals, 'key'>;
  readonly config: () => Config;
  readonly journal: Journal;
  readonly answers: Answers;
  readonly note: (code: string, text: string) => void;
}

/** What happens to one request, from its file to its answer. */
interface Turns {
  /** Reads a file: a request that may wait for its turn, or null where it was answered at once. */
  read(door: Door, id: string): Promise<Request | null>;
  /** Answers a request that gets no turn. */
  refuse(request: Request, refusal: Refusal): Promise<void>;
  /** Has it decided, carried out and answered. Never rejects. */
  take(request: Request): Promise<void>;
  /** Whose teardown this is, of which request; null where it is none that counts. */
  tornDown(door: Door, id: string): Promise<string | null>;
}

/** Turns over the gate and the journal. */
export function createTurns(ports: TurnPorts): Turns {
  const { answers, clock } = ports;
  const unsigned = createUnsigned(ports);
  const finish = async (
    { door: { folder }, descriptor }: Pick<Request, 'door' | 'descriptor'>,
    result: GateResult,
  ): Promise<void> => {
    const key = await keyOf(descriptor.principal, ports);
    await answers.write(folder, answerOf(descriptor, result, clock.now()), key);
    ports.journal.answered(descriptor.id);
    folder.remove('requests', `${descriptor.id}.yaml`);
  };
  const refuseIt: Turns['refuse'] = async (request, refusal) =>
    finish(request, { ok: false, id: request.descriptor.id, refusal });
  return {
    read: async (door, id) => readRequest(door, id, { ports, unsigned }),
    refuse: refuseIt,
    take: async (request) => {
      const release = request.door.folder.hold();
      try {
        const prove = async (): Promise<string> => proven(request, ports);
        const result = isPause(request.descriptor)
          ? await pause(request, ports, prove)
          : await decide(request, ports, prove);
        await finish(request, result);
      } catch (error) {
        ports.log.error('A request of a shared folder could not be answered', error);
      } finally {
        release();
      }
    },
    tornDown: async (door, id) => {
      const file = door.folder.read('teardowns', `${id}.yaml`, maxDescriptorBytes);
      if (file.kind !== 'text') return null;
      const read = await readTeardown(file, id);
      if (!read.ok) return null;
      const key = await keyOf(read.value.principal, ports);
      return key !== null && isSignedDescriptor(key, read.value) ? read.value.principal : null;
    },
  };
}

/** A request that may wait for its turn; null where it was answered, or is not worth an answer. */
async function readRequest(
  door: Door,
  id: string,
  {
    ports,
    unsigned,
  }: { readonly ports: TurnPorts; readonly unsigned: ReturnType<typeof createUnsigned> },
): Promise<Request | null> {
  const { answers, clock } = ports;
  const file = door.folder.read('requests', `${id}.yaml`, maxDescriptorBytes);
  if (file.kind === 'missing') return null;
  const read = await readDescriptor(file, id);
  if (!read.ok) {
    await unsigned.refuse(door, id, notUnderstood(read.why));
    return null;
  }
  const descriptor = read.value;
  const createdAt = Date.parse(descriptor.created_at);
  const request = { door, descriptor, createdAt, gone: new AbortController() };
  if (ports.journal.has(id)) {
    // Its answer is there, or was: another one would say that it had come to something else.
    if (unsigned.mayRecord()) await decide(request, ports, async () => Promise.reject(replayed()));
    door.folder.remove('requests', `${id}.yaml`);
    return null;
  }
  if (await isSigned(request, ports)) return request;
  if (!unsigned.mayRecord()) {
    await unsigned.refuse(door, id, notSigned(descriptor.principal).refusal);
    return null;
  }
  const result = await decide(request, ports, async () =>
    Promise.reject(notSigned(descriptor.principal)),
  );
  const refusal = result.ok ? notSigned(descriptor.principal).refusal : result.refusal;
  await answers.write(door.folder, refusedAnswer(descriptor, refusal, clock.now()), null);
  door.folder.remove('requests', `${id}.yaml`);
  return null;
}

/** Null where it has none, and where the store cannot be opened: then nothing is signed right. */
async function keyOf(
  principal: string,
  { principals, log }: Pick<TurnPorts, 'principals' | 'log'>,
): Promise<Uint8Array | null> {
  try {
    return await principals.key(principal);
  } catch (error) {
    log.error('The key of an agent could not be read', error);
    return null;
  }
}

async function isSigned({ door, descriptor }: Request, ports: TurnPorts): Promise<boolean> {
  const key = await keyOf(descriptor.principal, ports);
  return key !== null && isSignedDescriptor(key, descriptor) && door.admits(descriptor.principal);
}

/**
 * Who asks, in this order: the signature, the time, the nonce. It was taken up when this resolves, on
 * the disk, and its file is gone. Rejects with the refusal.
 */
async function proven(request: Request, ports: TurnPorts): Promise<string> {
  const { door, descriptor, createdAt } = request;
  const { id, nonce, principal } = descriptor;
  // Once more: a key can have been taken away while it waited.
  if (!(await isSigned(request, ports))) throw notSigned(principal);
  const age = ports.clock.now() - createdAt;
  if (age < -mostAheadMs)
    throw refuse(
      'hmac-fail',
      `The time of the request is ${String(Math.round(-age / 1_000))} s ahead of this machine.`,
      'Set the clock of the sandbox.',
    );
  const { staleMs } = ports.config().rpc;
  if (age > staleMs)
    throw refuse(
      'stale-on-recovery',
      `The request is ${String(Math.round(age / 1_000))} s old and was not run: it waited too long, or the clock of the sandbox is behind.`,
      'Ask again if it is still needed.',
    );
  const folder = door.folder.path;
  const until = createdAt + longestStaleMs + mostAheadMs;
  if (!(await ports.journal.take({ id, nonce, principal, folder, until }))) throw replayed();
  door.folder.remove('requests', `${id}.yaml`);
  if (request.gone.signal.aborted) throw wentAway();
  return principal;
}

async function decide(
  { door, descriptor, gone }: Request,
  { gate, uid, config }: TurnPorts,
  prove: () => Promise<string>,
): Promise<GateResult> {
  const folder = door.folder.path;
  let incoming: ExecIncoming;
  // The kernel cannot say who wrote a file; what comes through a folder that a person has opened asks
  // as the runner's own user, in the name that the key proves.
  const arrival = { kind: 'exec', peer: { uid, pid: null } } as const;
  try {
    const request = await execRequestOf(descriptor, { folder, rpc: config().rpc });
    incoming = { ...arrival, request, prove };
  } catch (error) {
    const refused = async (): Promise<string> => {
      await prove();
      throw error;
    };
    incoming = { ...arrival, request: askedFor(descriptor, folder), prove: refused };
  }
  return gate.exec(incoming, { gone: gone.signal, emit: () => undefined });
}

/** A pause runs nothing, and anyone who may ask may have one. */
async function pause(
  { descriptor, door }: Request,
  { stops, clock }: TurnPorts,
  prove: () => Promise<string>,
): Promise<GateResult> {
  const { id, reason, principal } = descriptor;
  const since = clock.elapsed();
  try {
    await prove();
    stops.pause(reason ?? null, `agent ${principal} in ${door.folder.path}`);
  } catch (error) {
    try {
      // While everything is locked no key is right; that it is locked is what has to be said.
      if (refusalOf(error)?.code === 'hmac-fail') stops.check();
    } catch (locked) {
      return { ok: false, id, refusal: refusalOf(locked) ?? failed() };
    }
    return { ok: false, id, refusal: refusalOf(error) ?? failed() };
  }
  const output = { stdout: '', stderr: '', truncated: false, tail: '' };
  const outcome = { exitCode: 0, signal: null, ending: 'exited' } as const;
  return { ok: true, id, outcome, durationMs: clock.elapsed() - since, output };
}

/** Answers to who proves no name: so many, and the others are only counted. */
function createUnsigned({ clock, answers, note }: TurnPorts) {
  const bucket = createTokenBucket(clock, { burst: 100, perSecond: 5 });
  let unheard = 0;
  let told = clock.elapsed() - 60_000;
  const count = (door: Door): void => {
    unheard += 1;
    if (clock.elapsed() - told < 60_000) return;
    note(
      'rpc-unsigned',
      `${String(unheard)} files in ${door.folder.path} are not requests of an agent`,
    );
    unheard = 0;
    told = clock.elapsed();
  };
  return {
    mayRecord: bucket,
    refuse: async (door: Door, id: string, refusal: Refusal): Promise<void> => {
      const mayAnswer = bucket();
      count(door);
      if (mayAnswer)
        await answers.write(
          door.folder,
          refusedAnswer(nobodyKnown(id), refusal, clock.now()),
          null,
        );
      door.folder.remove('requests', `${id}.yaml`);
    },
  };
}

function notUnderstood(why: string): Refusal {
  return refuse(
    'invalid-request',
    `The request was not understood: ${why}`,
    'docs/shared-folder.md says what a request has.',
  ).refusal;
}

function notSigned(principal: string): Error & { readonly refusal: Refusal } {
  return refuse(
    'hmac-fail',
    `The signature of the request is not right for an agent "${principal}" that may ask through this folder.`,
    `A person may issue a new key: interlock agents rekey ${principal} --deliver HOME`,
  );
}

function replayed(): Error {
  return refuse(
    'replay-detected',
    'This request was taken up before, or the clock was set back since.',
    'Write each request anew, with a fresh id, a fresh nonce and the right time.',
  );
}

function wentAway(): Error {
  return refuse(
    'requester-gone',
    'Whoever asked went away before the end.',
    'Ask again if it is still needed.',
  );
}

function failed(): Refusal {
  return refuse(
    'host-unavailable',
    'Interlock failed inside and refused to be safe.',
    'Have a person look at the log of the runner.',
  ).refusal;
}
