import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { displayPlain, messageOf } from '../../../shared/base/index.ts';
import { homeVariable, openHome, programOnPath, systemClock } from '../../../shared/home/index.ts';
import type { Home } from '../../../shared/home/index.ts';
import { commandProcesses } from '../../../shared/operations/index.ts';
import { launcherPath } from '../../hosts/sandbox/launch.ts';
import { probeSandbox } from '../../hosts/sandbox/probe.ts';
import { prepareSweep } from '../../lockout/sweep.ts';
import { CliError } from '../failure.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { selfTest, selfTestConfig, selfTestFolders, selfTestPolicy } from '../self-test.ts';
import type { Finding } from '../self-test.ts';
import { startChild } from '../up/child.ts';
import type { Child } from '../up/child.ts';
import { programsOf, requireBuilt } from '../up/programs.ts';

interface Options {
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly timeout: number;
}

/** `interlock self-test`: what the gate does on this machine, tried for real in a throw-away home. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('self-test')
    .description(
      'Starts a runner on a home of its own in a temporary folder and tries what the gate is for: a denied command, an ask, the fallback, the sandbox, a lockout, the record. Your own home is not touched, and nothing is left behind. Exits with 1 where something does not hold.',
    )
    .option('--timeout <seconds>', 'what all of it may take', secondsOf, 60)
    .option('--strict', 'exit with 1 also where this machine has no sandbox')
    .option('--json', 'the findings as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock self-test\n  interlock self-test --strict --json --timeout 120',
    )
    .action(async (options: Options) => {
      const findings = await inThrowAwayHome(io, options);
      const fails = findings.filter(({ state }) => state === 'fails').length;
      const absent = findings.filter(({ state }) => state === 'absent').length;
      const isWell = fails === 0 && (options.strict !== true || absent === 0);
      if (options.json === true) sayJson(io.stdout, { ok: isWell, fails, absent, findings });
      else say(io.stdout, summaryOf(findings.length, fails, absent));
      done(isWell ? exitCodes.ok : 1);
    });

function secondsOf(text: string): number {
  const seconds = /^\d{1,4}$/u.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds;
  throw new CliError(`"${text}" is not a number of seconds.`, 'Write it like 60; at most 9999.');
}

const words = { holds: 'ok    ', fails: 'FAILS ', absent: 'none  ' } as const;

function lineOf({ part, state, detail }: Finding): string {
  return displayPlain(`${words[state]}  ${part}: ${detail}`);
}

function summaryOf(all: number, fails: number, absent: number): string {
  if (fails > 0)
    return `${String(fails)} of ${String(all)} do not hold here. Do not let agents run commands until they do.`;
  return absent === 0
    ? `All ${String(all)} hold here.`
    : `What can be tried here holds; ${String(absent)} of ${String(all)} could not be: see "interlock sandbox status".`;
}

/** Everything of the test is below one folder, which goes with it, however the test ends. */
async function inThrowAwayHome(io: Io, options: Options): Promise<readonly Finding[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-self-')));
  const ending = new AbortController();
  const limit = `It took longer than ${String(options.timeout)} s.`;
  const cancel = systemClock.after(options.timeout * 1_000, () => ending.abort(new Error(limit)));
  const release = io.onSignal(() => ending.abort(new Error('It was interrupted.')));
  const findings: Finding[] = [];
  const tell = (finding: Finding): void => {
    findings.push(finding);
    if (options.json !== true) say(io.stdout, lineOf(finding));
  };
  let runner: Child | null = null;
  const env = environmentOf(io, folder);
  const home = openHome(env);
  try {
    const started = await startOn(home, { io, env, folder, signal: ending.signal });
    runner = started.runner;
    tell({ part: 'a runner starts', state: 'holds', detail: 'on a home of its own' });
    await selfTest({ ...started, home, path: env['PATH'] ?? '', signal: ending.signal }, tell);
  } catch (error) {
    tell({ part: 'a runner starts', state: 'fails', detail: messageOf(error) });
  } finally {
    release();
    cancel();
    await runner?.stop();
    tell(await cleared(home, folder));
  }
  return findings;
}

/** The person's own environment, but for all that leads to another home, runner or service manager. */
function environmentOf(io: Io, folder: string): Readonly<Record<string, string | undefined>> {
  const own =
    /^(?:INTERLOCK_|NOTIFY_SOCKET$|WATCHDOG_|INVOCATION_ID$|JOURNAL_STREAM$|NODE_OPTIONS$)/u;
  const kept = Object.entries(io.env).filter(([name]) => !own.test(name) && name !== homeVariable);
  return {
    ...Object.fromEntries(kept),
    INTERLOCK_HOME: join(folder, 'home'),
    // Keys of encrypted secrets are kept outside of the home.
    XDG_DATA_HOME: join(folder, 'data'),
  };
}

interface StartOptions {
  readonly io: Io;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly signal: AbortSignal;
}

async function startOn(home: Home, { io, env, folder, signal }: StartOptions) {
  const touch = programOnPath('touch', env['PATH'] ?? '');
  if (touch === null) throw new CliError('There is no touch in PATH.', 'Set a plain PATH.');
  await home.init(io.now, { host: 'gateway' });
  // Nothing of this is to reach the person's keychain.
  writeFileSync(join(home.keysDirectory, 'store.json'), '{ "kind": "file" }\n', { mode: 0o600 });
  writeFileSync(home.config, JSON.stringify(selfTestConfig), { mode: 0o600 });
  const file = home.readPolicy();
  if (!file.ok) throw new CliError(file.problem.message, file.problem.hint);
  const policy = selfTestPolicy(file.document, realpathSync(touch));
  await home.writePolicy(policy, { baseHash: file.hash });
  const program = programsOf(io.packageRoot).runner;
  requireBuilt(program);
  const runner = await listening(program, env, signal);
  return {
    runner,
    ...selfTestFolders(folder),
    token: (await home.tokens()()) ?? '',
    probe: async () =>
      probeSandbox({ launcher: launcherPath(io.packageRoot), uid: home.uid, image: null }),
  };
}

/** Resolves when the runner says that it listens; rejects with its last words where it does not. */
async function listening(
  program: Parameters<typeof startChild>[0],
  env: StartOptions['env'],
  signal: AbortSignal,
): Promise<Child> {
  let said = '';
  let runner: Child | null = null;
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    const onErrorLine = (line: string): void => {
      said = line;
      if (line.includes('Listening on')) resolve();
    };
    runner = startChild(program, { env, onLine: () => undefined, onErrorLine });
    void runner.ended.then(() => reject(new Error(`The runner ended: ${said}`)));
  }).catch(async (error: unknown) => {
    await runner?.stop();
    throw error;
  });
  if (runner === null) throw new Error('The runner did not start.');
  return runner;
}

/** Ends what a command left, and removes the folder. */
async function cleared(home: Home, folder: string): Promise<Finding> {
  const part = 'nothing is left behind';
  try {
    const processes = commandProcesses(home, home.uid);
    await prepareSweep({ processes, running: [], graceMs: 1_000 })();
    rmSync(folder, { recursive: true, force: true });
    return { part, state: 'holds', detail: 'no process, no file' };
  } catch (error) {
    return { part, state: 'fails', detail: `${messageOf(error)} (${folder})` };
  }
}
