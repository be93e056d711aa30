import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { failClosed, runsWithoutShell } from '../../shared/agents/index.ts';
import type { HookOptions } from '../../shared/agents/index.ts';
import { refusalOf } from '../../shared/base/index.ts';
import { homePaths, ownUid } from '../../shared/home/index.ts';
import { readKeyFile } from '../../shared/ipc/index.ts';
import { maxHookBytes } from '../../shared/wire/index.ts';
import type { HookAnswer } from '../../shared/wire/index.ts';
import { answerOf, callRunner } from './call.ts';
import { doubt, doubts, refused, textOf } from './doubt.ts';
import type { HandedOver } from './doubt.ts';
import { waitingHost } from './waiting-host.ts';

/**
 * Reads standard input to its end: bytes that are passed on as they are. Rejects with a `Doubt` for
 * what is too long or no JSON in UTF-8.
 */
async function readInput(stdin: Readable): Promise<Buffer> {
  const bytes = await readAll(stdin);
  if (!isJson(bytes))
    throw doubt(
      'what the hook was given is not JSON',
      'The host may have ended it early, or be of a version that Interlock does not know.',
    );
  return bytes;
}

/** By events, since what `for await` needs is loaded for it alone. */
async function readAll(stdin: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stdin.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxHookBytes)
        reject(doubt('what the hook was given is longer than 8 MiB', 'Do it in smaller steps.'));
    });
    stdin.once('end', () => resolve(Buffer.concat(chunks)));
    stdin.once('error', reject);
  });
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return isUtf8(bytes);
  } catch {
    return false;
  }
}

interface Surroundings {
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Hands what the host wrote to the gate, and back what the gate says. Throws on any doubt. */
async function askGate(
  { host, agent, home, decideOnly }: HookOptions,
  { stdin, env }: Surroundings,
): Promise<HookAnswer> {
  const paths = homePaths(home === null ? env : { INTERLOCK_HOME: home });
  const key = keyOf(agent, paths.agentKeysDirectory);
  const bytes = await readInput(stdin);
  const path = `/v1/hooks/${host}?agent=${agent}${decideOnly === true ? '&by=elsewhere' : ''}${claimsIn(env)}`;
  const signature =
    key === null
      ? {}
      : (await import('./sign.ts')).signatureOf(agent, key, {
          method: 'POST',
          path,
          payload: bytes,
        });
  return answerOf(
    await callRunner({ socketPath: paths.runnerSocket, path, body: bytes, signature }),
  );
}

/**
 * For whom the host works, where what started it says so. A name that is none is refused by the
 * runner, and so is the call.
 */
function claimsIn(env: Surroundings['env']): string {
  const said = [
    ['user', env['INTERLOCK_USER'] ?? ''],
    ['channel', env['INTERLOCK_CHANNEL'] ?? ''],
    ['group', ['', '0'].includes(env['INTERLOCK_GROUP'] ?? '') ? '' : '1'],
  ] as const;
  return said
    .flatMap(([name, value]) => (value === '' ? [] : `&${name}=${encodeURIComponent(value)}`))
    .join('');
}

/** The agent's key, null where it has none. One that is there and cannot be used is a doubt. */
function keyOf(agent: string, directory: string): Uint8Array | null {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(agent))
    throw doubt('the name of the agent in the hook is not one', 'Run "interlock install" again.');
  try {
    return readKeyFile(join(directory, `${agent}.key`), ownUid());
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    throw refused(refusal);
  }
}

/** No answer is a refusal in the host's words; to what was typed it is nothing, since it runs nothing. */
function failed({ host, prompt }: HookOptions, error: unknown): HookAnswer {
  return prompt === true
    ? { stdout: '', stderr: '', exitCode: 0 }
    : failClosed(host, textOf(error));
}

/** What can end the wait for the gate's answer early. */
interface Interruptions {
  /** Calls back once, when that is so. */
  readonly onHostGone: (listener: () => void) => void;
  readonly onStopped: (listener: () => void) => void;
  readonly after: (ms: number, listener: () => void) => void;
}

/**
 * One use of the hook. Always resolves, with what the gate answered or with a refusal in the host's
 * words: no runner, no answer in time, no sense in it, a signal. Whoever calls it writes the answer
 * and ends the process, which drops what is still under way.
 */
async function runHook(
  options: HookOptions,
  surroundings: Surroundings,
  interruptions: Interruptions,
): Promise<HookAnswer> {
  const interrupted = new Promise<never>((_resolve, reject) => {
    interruptions.after(options.wait * 1000, () => reject(doubts.late(options.wait)));
    interruptions.onStopped(() => reject(doubts.stopped()));
    interruptions.onHostGone(() => reject(doubts.alone()));
  });
  try {
    return await Promise.race([askGate(options, surroundings), interrupted]);
  } catch (error) {
    return failed(options, error);
  }
}

const everyMs = 250;

/**
 * Calls back once the process that started the hook is gone. A host that ends, or kills only the
 * shell around its hook, leaves the hook running; without this, a person would go on being asked
 * for nobody. That the host has merely closed the pipe cannot be seen before something is written.
 */
function onceHostIsGone(listener: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    listener();
  }, everyMs);
  timer.unref();
}

/** Exit status by which most hosts understand "no", also without an answer that they can read. */
const blocked = 2;

/**
 * Answers the host of this process once, whatever happens, and ends the process. Null stands for
 * arguments that are not those of a hook. What was handed over is said, and the gate is not asked again.
 */
export function answerHost(
  options: HookOptions | null,
  env: Surroundings['env'],
  handed: HandedOver | null,
): void {
  if (options === null) {
    const { message } = doubt('the line that starts its hook is not one', 'Install it again.');
    finish({ stdout: '', stderr: `${message}\n`, exitCode: blocked });
    return;
  }
  const holds = options.prompt !== true;
  const host = holds && runsWithoutShell(options.host) ? waitingHost(handed) : null;
  let finished = false;
  const once = (answer: HookAnswer): void => {
    if (finished) return;
    finished = true;
    // Without the shell no answer counts, and the host would go on as soon as we end.
    if (host?.isOrphaned() === true) host.end(() => finish(answer));
    else finish(answer);
  };
  const fail = (error: unknown): void => once(failed(options, error));
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  if (handed !== null) return fail(doubts[handed.doubt](options.wait));
  const { stdin } = process;
  void runHook(
    options,
    { stdin, env },
    {
      onHostGone: onceHostIsGone,
      onStopped: (listener) => {
        for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, listener);
      },
      // The host counts from the start of the process, so the hook does too.
      after: (ms, listener) => void setTimeout(listener, Math.max(0, ms - performance.now())),
    },
  ).then(once, fail);
}

/** Writes the answer whole, and ends the process. What is under way is dropped. */
function finish({ stdout, stderr, exitCode }: HookAnswer): void {
  const end = (): never => process.exit(exitCode);
  const lost = (): never => process.exit(blocked);
  process.stdout.once('error', lost);
  process.stderr.once('error', lost);
  if (stdout === '') process.stderr.write(stderr, end);
  else {
    if (stderr !== '') process.stderr.write(stderr);
    process.stdout.write(stdout, end);
  }
}
