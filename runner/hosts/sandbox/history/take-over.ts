import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../../shared/base/index.ts';
import { ownUid } from '../../../../shared/home/index.ts';
import { alternatesOf } from '../git.ts';
import { rootFiles } from '../root-files.ts';
import { encodePlan } from '../message.ts';
import type { Entry } from '../message.ts';
import { readReport } from '../report.ts';
import { systemEntries } from '../root.ts';
import { decide, isEmpty } from './decide.ts';
import type { Decision, Seen, Side, Stashed, Unchanged } from './decide.ts';
import { installScript, lookScript } from './scripts.ts';

/** A history that a command works on through a layer. Paths are absolute, and known to have no link. */
interface LayeredHistory {
  /** Git's folder, which all work trees share. */
  readonly common: string;
  /** In it, where the work tree has its own HEAD and index: empty, or `worktrees/NAME/`. */
  readonly own: string;
  readonly uid: number;
  readonly gid: number;
  readonly upper: string;
  /** A folder of ours beside the layer. */
  readonly scratch: string;
  /** The person's index as it was at the start; it may be missing. */
  readonly indexWas: string;
  /** Text of the person's HEAD at the start. */
  readonly headWas: string | null;
  /** Milliseconds. What is newer was changed by somebody else, or by us. */
  readonly since: number;
  /** What we have set ourselves since then. */
  readonly set: ReadonlyMap<string, string>;
}

export interface Taken {
  /** Whether all of it is the person's now, or can be read beside it. */
  readonly ok: boolean;
  /** Git is in the middle of something inside. */
  readonly busy: boolean;
  /** Both indexes name the same files. */
  readonly sameIndex: boolean;
  /** Names that were set, with their values. */
  readonly set: ReadonlyMap<string, string>;
  /** Sentences for whoever ran the command. */
  readonly notes: readonly string[];
}

interface TakeOverOptions {
  readonly clock: Clock;
  /** Absolute path of the launcher. */
  readonly launcher: string;
}

/** One box of ours may take this long. */
const mostMs = 300_000;
const mostBytes = 2 ** 31;
const mostText = 256 << 20;

/**
 * Takes over what a command has left in its layer: objects that hold together, names by compare and
 * swap, the index by its entries. Settings and hooks stay where they are. Can be repeated at any
 * time: what is there already is no change. Never throws.
 */
export async function takeOver(history: LayeredHistory, options: TakeOverOptions): Promise<Taken> {
  const folders = Object.fromEntries(
    ['out', 'plan', 'said'].map((name) => [name, join(history.scratch, name)]),
  ) as Record<'out' | 'plan' | 'said', string>;
  try {
    rmSync(history.scratch, { recursive: true, force: true });
    for (const path of Object.values(folders)) makeFor(history, path);
    return await inTwoBoxes(history, folders, options);
  } catch (error) {
    return notTaken(`it could not be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  } finally {
    rmSync(history.scratch, { recursive: true, force: true });
  }
}

type Folders = Readonly<Record<'out' | 'plan' | 'said', string>>;

async function inTwoBoxes(
  history: LayeredHistory,
  { out, plan, said }: Folders,
  options: TakeOverOptions,
): Promise<Taken> {
  const format = formatOf(history.common);
  const looked = await runBox(options, history, {
    script: lookScript,
    entries: lookEntries(history, out),
    env: { FORMAT: format === 'sha256' ? '[extensions]\nobjectformat = sha256\n' : '' },
  });
  if (looked !== 0)
    return notTaken(looked === 3 ? `Git refused its objects${why(out)}` : 'it could not be read');
  const seen = seenIn(out);
  const decision = decide(seen, unchangedSince(history, seen), checkedOutElsewhere(history));
  if (decision.problem !== null) return notTaken(decision.problem);
  const busy = seen.begun.length > 0;
  if (isEmpty(decision) && !seen.hasObjects)
    return {
      ok: true,
      busy,
      sameIndex: decision.notes.length === 0,
      set: new Map(),
      notes: decision.notes,
    };
  writePlan(plan, decision, seen.outside.head);
  const installed = await runBox(options, history, {
    script: installScript,
    entries: [
      { kind: 'bind', target: '/host', source: history.common, writable: true },
      ...alternatesOf(history.common, rootFiles()),
      { kind: 'bind', target: '/out', source: out, ours: true },
      { kind: 'bind', target: '/plan', source: plan, ours: true },
      { kind: 'bind', target: '/said', source: said, ours: true, writable: true },
    ],
    env: { RUN: runName(history), ZERO: '0'.repeat(format === 'sha256' ? 64 : 40) },
  });
  if (installed !== 0)
    return notTaken(
      installed === 3 ? `Git refused its objects${why(said)}` : 'it could not be written',
    );
  return outcomeOf(decision, linesOf(join(said, 'done')), busy);
}

function lookEntries(history: LayeredHistory, out: string): readonly Entry[] {
  const { common, upper, indexWas } = history;
  return [
    { kind: 'overlay', target: '/repo', lower: common, upper, work: upper, readOnly: true },
    { kind: 'bind', target: '/base', source: common },
    ...alternatesOf(common, rootFiles()),
    { kind: 'bind', target: '/in', source: join(upper, 'objects'), ours: true, ifPresent: true },
    ...(existsSync(indexWas)
      ? [{ kind: 'bind', target: '/index-was', source: indexWas, ours: true } as const]
      : []),
    { kind: 'bind', target: '/out', source: out, ours: true, writable: true },
  ];
}

function formatOf(common: string): 'sha1' | 'sha256' {
  const settings = rootFiles().text(`${common}/config`) ?? '';
  return /^\s*objectformat\s*=\s*"?sha256/im.test(settings) ? 'sha256' : 'sha1';
}

function makeFor({ uid, gid }: LayeredHistory, path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (ownUid() === 0) chownSync(path, uid, gid);
}

interface BoxOfOurs {
  readonly script: string;
  readonly entries: readonly Entry[];
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a script of ours in a box: no network, no settings, no home. Its exit code; null for none. */
async function runBox(
  { clock, launcher }: TakeOverOptions,
  { uid, gid, own }: LayeredHistory,
  { script, entries, env }: BoxOfOurs,
): Promise<number | null> {
  const plan = encodePlan({
    mode: 'box',
    uid,
    gid,
    parent: process.pid,
    noNetwork: true,
    tells: false,
    limits: { processes: 0, memory: 0, fileSize: mostBytes, cpuSeconds: 600, openFiles: 0 },
    cwd: '/tmp',
    file: '/bin/sh',
    argv: ['sh', '-c', script],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: '/nowhere',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_COMMITTER_NAME: 'Interlock',
      GIT_COMMITTER_EMAIL: 'interlock@localhost',
      OWN: own,
      ...env,
    },
    entries: [
      ...systemEntries(rootFiles()),
      { kind: 'tmpfs', target: '/tmp', options: 'size=512m,mode=1777' },
      ...entries,
    ],
    groups: [],
  });
  const child = spawn(launcher, [], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    shell: false,
  });
  const gone = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  const wire = child.stdio[3] as Writable | null;
  const answers = child.stdio[4] as Readable | null;
  if (wire === null || answers === null) return null;
  wire.on('error', () => {});
  wire.end(plan);
  const report = readReport(answers);
  const cancel = clock.after(mostMs, () => void child.kill('SIGKILL'));
  await gone;
  cancel();
  const begun = await report.begun;
  return begun.ok ? ((await report.ended)?.exitCode ?? null) : null;
}

/** Bytes as they are: names of files need not be text. */
function textOf(path: string): string | null {
  const about = statSync(path, { throwIfNoEntry: false });
  if (about?.isFile() !== true) return null;
  if (about.size > mostText) throw new Error('too long');
  return readFileSync(path, 'latin1');
}

function linesOf(path: string): readonly string[] {
  return (textOf(path) ?? '').split('\n').filter((line) => line !== '');
}

function seenIn(out: string): Seen {
  return {
    inside: sideIn(out, 'inside'),
    outside: sideIn(out, 'outside'),
    indexWas: indexIn(join(out, 'was.index')),
    known: knownIn(linesOf(join(out, 'known'))),
    gitlinks: linesOf(join(out, 'gitlinks')),
    begun: linesOf(join(out, 'begun')),
    done: linesOf(join(out, 'done')),
    hasObjects: (textOf(join(out, 'new')) ?? '') !== '',
  };
}

function sideIn(out: string, side: string): Side {
  const refs = linesOf(join(out, `${side}.refs`)).flatMap((line) => {
    const [name = '', oid = '', symbolic = ''] = line.split(' ');
    return symbolic === '' ? [[name, oid] as const] : [];
  });
  return {
    refs: new Map(refs),
    head: textOf(join(out, `${side}.head`)),
    index: indexIn(join(out, `${side}.index`)),
    stash: linesOf(join(out, `${side}.stash`)).flatMap(stashedIn),
  };
}

function indexIn(path: string): readonly string[] | null {
  return (
    textOf(path)
      ?.split('\0')
      .filter((line) => line !== '') ?? null
  );
}

function stashedIn(line: string): readonly Stashed[] {
  const [head = '', words = ''] = line.split('\t');
  const oid = head.split(' ')[1] ?? '';
  if (!/^[0-9a-f]{40,64}$/.test(oid)) return [];
  return [{ oid, words: words.replaceAll(/[^\x20-\x7e\x80-\xff]/g, ' ').slice(0, 400) }];
}

function knownIn(lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  let values = new Set<string>();
  for (const line of lines)
    if (line.startsWith('= ')) found.set(line.slice(2), (values = new Set()));
    else for (const oid of line.split(' ')) values.add(oid);
  return found;
}

/** How coarse times of files are. */
const coarseMs = 10;

function unchangedSince(
  { common, headWas, since, set }: LayeredHistory,
  { outside }: Seen,
): Unchanged {
  const isOlder = (path: string): boolean | null => {
    const about = statSync(path, { throwIfNoEntry: false });
    return about === undefined ? null : about.mtimeMs < since - coarseMs;
  };
  return {
    ref: (name) =>
      (set.has(name) && set.get(name) === outside.refs.get(name)) ||
      (isOlder(`${common}/${name}`) ?? isOlder(`${common}/packed-refs`) ?? false),
    head: outside.head === headWas,
    stash: isOlder(`${common}/logs/refs/stash`) ?? true,
  };
}

/** Names that the other work trees of the history stand on. */
function checkedOutElsewhere({ common, own }: LayeredHistory): ReadonlySet<string> {
  const files = rootFiles();
  const others = ['', ...files.folders(`${common}/worktrees`).map((name) => `worktrees/${name}/`)];
  return new Set(
    others
      .filter((place) => place !== own)
      .flatMap(
        (place) => /^ref: (\S+)/.exec(files.text(`${common}/${place}HEAD`) ?? '')?.[1] ?? [],
      ),
  );
}

function writePlan(plan: string, decision: Decision, headWas: string | null): void {
  const write = (name: string, lines: readonly string[], end = '\n'): void =>
    writeFileSync(join(plan, name), lines.map((line) => `${line}${end}`).join(''), {
      encoding: 'latin1',
      mode: 0o644,
    });
  write('refs', decision.refs);
  write('gone', decision.gone);
  write('dropped', decision.stash?.dropped ?? []);
  write('stash', decision.stash?.add.map(({ oid, words }) => `${oid} ${words}`) ?? []);
  write('done', decision.done);
  write('current', [decision.current], '');
  if (headWas !== null) write('head-was', [headWas], '');
  if (decision.head !== null) write('head', [decision.head], '');
  if (decision.index === null) return;
  write('index', decision.index.lines, '\0');
  write('index-was', decision.index.was, '\0');
  write('blobs', decision.index.blobs);
}

/**
 * A name under which what is not taken over is kept: nothing that a command can choose. Two layers may
 * have begun in the same second, and neither may take the other's place.
 */
function runName({ since, upper }: LayeredHistory): string {
  const time = new Date(since)
    .toISOString()
    .replaceAll(/[^0-9T]/g, '')
    .slice(0, 15);
  const layer = createHash('sha256').update(upper).digest('hex').slice(0, 8);
  return `sandbox-${time}-${layer}`;
}

function outcomeOf(decision: Decision, said: readonly string[], busy: boolean): Taken {
  const set = new Map<string, string>();
  const notes = [...decision.notes];
  let sameIndex = decision.index === null && decision.notes.length === 0;
  for (const line of said) {
    const [word = '', name = '', value = ''] = line.split(' ');
    if (word === 'taken') set.set(name, value);
    else if (word === 'index') sameIndex = true;
    else if (word === 'kept')
      notes.push(
        `${shortName(name)} was not taken over: it is another one here by now, or in use in another work tree. What the sandbox made of it is kept as ${value}.`,
      );
    else if (word === 'saved')
      notes.push(
        `${shortName(name)} was deleted in the sandbox, and is here, too. What it was is kept as ${value}.`,
      );
    else if (word === 'index-busy')
      notes.push('The index was not taken over: another Git holds its lock.');
    else if (word === 'index-changed')
      notes.push('The index was not taken over: it was changed here in the meantime.');
    else if (word === 'index-refused')
      notes.push('The index was not taken over: it names objects that are not there.');
  }
  return { ok: true, busy, sameIndex, set, notes };
}

function shortName(name: string): string {
  return name.replace(/^refs\/(?:heads|tags)\//, '');
}

function notTaken(reason: string): Taken {
  return {
    ok: false,
    busy: false,
    sameIndex: false,
    set: new Map(),
    notes: [`What Git did in the sandbox was not taken over: ${reason}.`],
  };
}

/** What Git said of objects it does not take: its last line, without what terminals obey. */
function why(folder: string): string {
  const said = linesOf(join(folder, 'refused')).filter((line) => /^(?:error|fatal)/.test(line));
  const words = (said[0] ?? '').replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 300);
  return words === '' ? '' : ` (${words})`;
}
