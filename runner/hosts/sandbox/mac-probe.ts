import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Groups } from './groups.ts';
import type { MacBuilder } from './mac.ts';
import { seatbelt, seatbeltCommand, seatbeltProfile } from './macos.ts';
import type { Capability, FailedRung, ProbeOptions, SandboxProbe } from './probe.ts';

/** Absolute paths of the system's programs; null for what is not there. */
export interface MacPrograms {
  readonly seatbelt: string | null;
  readonly container: string | null;
}

/** Looked for where the system and its installer put them, and not in the PATH. */
function systemPrograms(): MacPrograms {
  const there = (path: string): string | null => (existsSync(path) ? path : null);
  return { seatbelt: there(seatbelt), container: there('/usr/local/bin/container') };
}

/** On macOS a better one is a virtual machine, where an image for it is named. Never run so far. */
export async function probeMac(
  groups: Groups,
  { uid, image = null, macPrograms }: ProbeOptions,
): Promise<SandboxProbe> {
  const { builder, tries } = await tryMac(uid, image, macPrograms);
  const failed = tries.flatMap(({ kind, problem }): readonly FailedRung[] =>
    problem === null ? [] : [{ rung: kind, ...problem, advice: macAdvice[kind] }],
  );
  const capabilities = tries.map(({ kind, problem }): Capability => ({
    name: 'builder',
    title: kind === 'container' ? 'A virtual machine for each command' : 'A Seatbelt profile',
    ok: problem === null,
    detail: problem === null ? 'tried' : `${problem.step}: ${problem.error}`,
    advice: problem === null ? null : macAdvice[kind],
  }));
  if (builder === null) {
    const said = failed.map(({ rung, step, error }) => `${rung}: ${step}: ${error}`).join('; ');
    const problem = `macOS builds none (${said}).`;
    return { ok: false, problem, rung: null, failed, capabilities, groups };
  }
  const rung = builder.kind;
  return { ok: true, problem: null, rung, failed, capabilities, groups, mac: builder };
}

const macAdvice: Readonly<Record<MacBuilder['kind'], string>> = {
  container: 'Start it (container system start), and look that sandbox.image can be fetched.',
  seatbelt: 'A process in a sandbox makes no other: start the runner outside of one.',
};

/** What was tried on macOS, and what came of it. */
interface MacTry {
  readonly kind: MacBuilder['kind'];
  /** Null where it works; else which step did not, and the program's own words. */
  readonly problem: { readonly step: string; readonly error: string } | null;
}

const profileSeconds = 20;
const machineSeconds = 180;

/** Runs a command in each that can be had, the better first, and looks whether it was held. */
async function tryMac(
  uid: number,
  image: string | null,
  programs: MacPrograms = systemPrograms(),
): Promise<{ readonly builder: MacBuilder | null; readonly tries: readonly MacTry[] }> {
  const tries: MacTry[] = [];
  if (image !== null) {
    const { container } = programs;
    const problem =
      container === null
        ? { step: 'program', error: 'ENOENT' }
        : await tryMachine(container, image);
    tries.push({ kind: 'container', problem });
    if (container !== null && problem === null)
      return { builder: { kind: 'container', program: container, image }, tries };
  }
  const { seatbelt: program } = programs;
  const problem =
    program === null ? { step: 'program', error: 'ENOENT' } : await tryProfile(program, uid);
  tries.push({ kind: 'seatbelt', problem });
  const builder =
    program !== null && problem === null ? ({ kind: 'seatbelt', program } as const) : null;
  return { builder, tries };
}

async function tryMachine(container: string, image: string): Promise<MacTry['problem']> {
  const args = [
    'run',
    '--rm',
    '--network',
    'none',
    '--cap-drop',
    'ALL',
    image,
    '/bin/sh',
    '-c',
    ':',
  ];
  const { code, words } = await quietly(container, args, machineSeconds);
  return code === 0 ? null : { step: 'start', error: words };
}

/** A command that writes and reads where it may, and where it may not. */
async function tryProfile(program: string, uid: number): Promise<MacTry['problem']> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-sandbox-')));
  try {
    const [workspace, temporary, outside] = ['work', 'temporary', 'outside'].map((name) => {
      const path = join(folder, name);
      mkdirSync(path);
      return path;
    }) as [string, string, string];
    writeFileSync(join(outside, 'secret'), 'secret');
    const entries = [
      { kind: 'bind', target: workspace, source: workspace, writable: true },
    ] as const;
    const owner = { uid, gid: process.getegid?.() ?? uid, name: 'nobody', home: outside };
    const profile = seatbeltProfile(
      { workspace, owner, entries },
      { temporary, ownHome: outside, network: 'none', realPath: (path) => path },
    );
    const text = `echo x > "$1/written" || exit 3; cat "$2/secret" && exit 4; echo x > "$2/written" && exit 5; exit 0`;
    const command = { file: '/bin/sh', argv0: 'sh', args: ['-c', text, 'sh', workspace, outside] };
    const { args } = seatbeltCommand(profile, command, program);
    const { code, words } = await quietly(program, args, profileSeconds);
    const isHeld = !existsSync(join(outside, 'written')) && code !== 4 && code !== 5;
    if (!isHeld) return { step: 'hold', error: 'it does not hold' };
    if (code === 0 && existsSync(join(workspace, 'written'))) return null;
    return { step: 'start', error: words === '' ? `it ended with ${code ?? 'a signal'}` : words };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program for its exit status, and the first line of what it says on standard error. */
export async function quietly(
  program: string,
  args: readonly string[],
  seconds = 60,
): Promise<{ readonly code: number | null; readonly words: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: seconds * 1_000,
      killSignal: 'SIGKILL',
    });
    let words = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (words.length < 1_000) words += text;
    });
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ code: null, words: error.code ?? 'unknown' }),
    );
    child.once('close', (code) => resolve({ code, words: words.split('\n')[0] ?? '' }));
  });
}
