import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { accessSync, constants as modes } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { staysInSandbox } from '../../shared/engine/index.ts';
import { ownUid } from '../../shared/home/index.ts';
import { pauseWord } from '../../shared/wire/index.ts';
import type { AnswerFile } from '../../shared/wire/index.ts';
import { commandSummaries } from '../cli/command-table.ts';
import { refusalLines } from '../cli/failure.ts';
import { exitCodeOfRefusal, exitCodeOfSignal, exitCodes } from '../cli/io.ts';
import { ask } from './ask.ts';
import type { Wish } from './ask.ts';
import { countRefusal, forgetRefusals } from './circles.ts';
import { detectSandbox } from './detect.ts';
import { ClientError, findPlace } from './place.ts';
import type { Place } from './place.ts';
import { parseClientArgs } from './words.ts';
import type { Wanted } from './words.ts';

/** Put in by the build. */
declare const clientVersion: string;

const help = `Usage: interlock [options] TOOL ARGS…       a tool that the host runs with its credentials
       interlock run [options] -- PROGRAM ARGS…
       interlock run [options] -c 'shell text'
       interlock pause [--reason WORDS]
       interlock rpc detect | status

Asks the host of this sandbox through the folder that both share.

Options:
  --agent NAME      with the key of this agent, where there are several
  --timeout TIME    how long the command may take (30s, 2m)
  --wait TIME       how long an answer is waited for
  --session NAME    of which conversation it is
  --reason WORDS    why; a person who is asked gets to read it
  --confirm         a person is asked, whatever the rules say
  --stdin           standard input goes along (by itself where an argument is "-")

Exit status: the command's own; 126 refused, 124 timed out, 125 no answer or a failure of
Interlock itself, 128+n ended by signal n.
`;

const mostTries = 5;

/** The client of a sandbox: resolves with the exit status, and never rejects. */
export async function runClient(args: readonly string[]): Promise<number> {
  try {
    return await carryOut(parseClientArgs(args));
  } catch (error) {
    const isKnown = error instanceof ClientError;
    const text = isKnown ? error.message : error instanceof Error ? error.stack : String(error);
    const hint = isKnown ? error.hint : 'Nothing was allowed because of it.';
    process.stderr.write(`interlock: ${text ?? 'it failed'}\n  ${hint}\n`);
    return exitCodes.failed;
  }
}

async function carryOut(wanted: Wanted): Promise<number> {
  switch (wanted.kind) {
    case 'help':
      process.stdout.write(help);
      return exitCodes.ok;
    case 'version':
      process.stdout.write(`${clientVersion}\n`);
      return exitCodes.ok;
    case 'detect':
      return tellDetected();
    case 'status':
      return tellStatus(wanted.agent);
    case 'tool':
      if (Object.hasOwn(commandSummaries, wanted.tool))
        throw new ClientError(
          `"interlock ${wanted.tool}" is for the host, and this is a sandbox.`,
          'Here there are: interlock TOOL ARGS…, interlock run, interlock pause, interlock rpc detect',
        );
      if (staysInSandbox(wanted.tool, wanted.args) && isOnPath(wanted.tool))
        return runHere(wanted.tool, wanted.args);
      return askHost(wanted);
    default:
      return askHost(wanted);
  }
}

type Asking = Extract<Wanted, { readonly kind: 'tool' | 'run' | 'pause' }>;

async function askHost(wanted: Asking): Promise<number> {
  const { options } = wanted;
  const place = placeOf(options.agent);
  const wish = await wishOf(wanted, place);
  const waitMs = options.waitMs ?? place.settings.waitSec * 1_000;
  const gone = new AbortController();
  let signal: 'SIGINT' | 'SIGTERM' | null = null;
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      signal = name;
      gone.abort();
    });
  const answer = await askPatiently(wish, place, { waitMs, gone: gone.signal }).catch(
    (error: unknown) => {
      if (signal === null) throw error;
      return null;
    },
  );
  if (answer === null || signal !== null) return exitCodeOfSignal(signal ?? 'SIGTERM');
  const { refusal } = answer;
  if (answer.ok) {
    if (wanted.kind === 'pause')
      process.stdout.write('Paused. A person on the host ends it, with "interlock resume".\n');
    process.stdout.write(answer.stdout);
    process.stderr.write(answer.stderr);
    countRefusal(wish, null, { ...place, uid: ownUid() });
    return answer.exit_code ?? exitCodeOfSignal(answer.signal ?? '');
  }
  if (refusal === null) throw new Error('the host said no and gave no reason');
  process.stderr.write(
    refusalLines(refusal)
      .map((line) => `${line}\n`)
      .join(''),
  );
  if (answer.hmac === null)
    process.stderr.write('  This answer is not signed: the host has no key for it.\n');
  if (wanted.kind !== 'pause') await pauseInCircles(wish, answer, place);
  return exitCodeOfRefusal(refusal);
}

/** Waits and asks anew where the host says that it was too often, and nowhere else. */
async function askPatiently(
  wish: Wish,
  place: Place,
  options: { readonly waitMs: number; readonly gone: AbortSignal },
): Promise<AnswerFile> {
  const until = Date.now() + options.waitMs;
  for (let tries = 1, restMs = 1_000; ; tries += 1, restMs *= 2) {
    const answer = await ask(wish, place, { ...options, waitMs: Math.max(1, until - Date.now()) });
    const isTooOften = answer.refusal?.code === 'rate-limit';
    if (!isTooOften || tries >= mostTries || Date.now() + restMs >= until) return answer;
    await pause(restMs, undefined, { signal: options.gone }).catch(() => undefined);
    if (options.gone.aborted) return answer;
  }
}

/** An agent that is refused the same thing again and again stops itself, and says so. */
async function pauseInCircles(wish: Wish, { refusal }: AnswerFile, place: Place): Promise<void> {
  const { pauseAfterRefusals } = place.settings;
  const times = countRefusal(wish, refusal, { ...place, uid: ownUid() });
  if (pauseAfterRefusals === null || times < pauseAfterRefusals) return;
  forgetRefusals(place.stateFile);
  const reason = `The same request of "${place.principal}" was refused ${String(times)} times in a row`;
  const { signal } = new AbortController();
  const paused = await ask({ subcommand: pauseWord, reason }, place, {
    waitMs: 10_000,
    gone: signal,
  });
  process.stderr.write(
    paused.ok
      ? `interlock: paused, because the same request was refused ${String(times)} times in a row.\n  Do not ask for it again. A person on the host ends the pause.\n`
      : `interlock: the same request was refused ${String(times)} times in a row.\n  Do not ask for it again.\n`,
  );
}

async function wishOf(wanted: Asking, place: Place): Promise<Wish> {
  const { options } = wanted;
  const reason = options.reason === undefined ? {} : { reason: options.reason.slice(0, 500) };
  if (wanted.kind === 'pause') return { subcommand: pauseWord, ...reason };
  if (wanted.kind === 'run' && place.cwd === null)
    throw new ClientError(
      'This folder is not in the shared one, so the host has none of that name.',
      'Go into the shared folder, and ask from there.',
    );
  const input = wanted.stdin ? { stdin: (await readInput()).toString('base64') } : {};
  const what =
    wanted.kind === 'tool' ? { subcommand: wanted.tool, args: wanted.args } : wanted.what;
  return {
    ...what,
    ...input,
    ...reason,
    cwd: place.cwd ?? '.',
    ...(options.timeoutMs !== undefined && {
      timeout_sec: Math.max(1, Math.round(options.timeoutMs / 1_000)),
    }),
    ...(options.session !== undefined && { session: options.session }),
    ...(options.confirm && { requires_confirm: true }),
  };
}

async function readInput(): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function placeOf(agent: string | undefined): Place {
  return findPlace({
    env: process.env,
    cwd: process.cwd(),
    uid: ownUid(),
    ...(agent !== undefined && { agent }),
  });
}

function tellDetected(): number {
  const { inside, why } = detectSandbox(process.env);
  process.stdout.write(`${inside ? 'a sandbox' : 'no sandbox'}: ${why}\n`);
  return inside ? exitCodes.ok : 1;
}

function tellStatus(agent: string | undefined): number {
  const { principal, directory, cwd } = placeOf(agent);
  process.stdout.write(
    `agent   ${principal}\nfolder  ${directory}\nhere    ${cwd ?? 'outside of it'}\n`,
  );
  return exitCodes.ok;
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    if (!folder.startsWith('/')) return false;
    try {
      accessSync(join(folder, program), modes.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function runHere(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, [...args], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
