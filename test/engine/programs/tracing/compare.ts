import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import type { Analyser } from '../../../../shared/engine/plan/analyse.ts';
import type { Stage, Surroundings } from '../../../../shared/engine/plan/types.ts';
import { nodeFiles } from '../../../../shared/home/machine.ts';
import { seeded } from '../../../fuzz/random.ts';
import { makeLine, textOf } from './lines.ts';
import type { Line, Source } from './lines.ts';
import { clear, prepare, searchPath, trace } from './run.ts';
import type { Done, Yard } from './run.ts';

export interface Tally {
  generated: number;
  /** Not understood, pinned or never: a person is asked, so nothing needs to be said. */
  asked: number;
  ran: number;
  /** Did not end by themselves. */
  ended: number;
  /** Ended with status 0: the program understood what it was given. */
  understood: number;
  readonly failures: Map<string, string[]>;
}

export function emptyTally(): Tally {
  return { generated: 0, asked: 0, ran: 0, ended: 0, understood: 0, failures: new Map() };
}

function surroundingsOf(yard: Yard, place: string): Surroundings {
  return {
    files: nodeFiles(),
    platform: 'linux',
    uid: 61_234,
    path: [...searchPath.split(':'), join(yard.root, 'bin')],
    trustedDirectories: ['/usr/bin', '/bin'],
    home: join(place, 'home'),
    workspaces: [],
    variables: { HOME: join(place, 'home') },
    shell: realpathSync('/bin/sh'),
  };
}

/** The stage that a rule for the program with any arguments would let run; null where one asks. */
function openStage(analyser: Analyser, yard: Yard, place: string, text: string): Stage | null {
  const request = { command: text, cwd: join(place, 'work') };
  const analysis = analyser.analyse(request, surroundingsOf(yard, place));
  if (!analysis.ok) return null;
  const [stage, another] = analysis.plan.stages;
  if (stage === undefined || another !== undefined) return null;
  return stage.trust.level === 'open' || stage.trust.level === 'named' ? stage : null;
}

function below(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Where a path leads: its folder with links followed, whatever of it is still there. */
function placeOf(path: string, follows = false): string {
  const at = normalize(path).replace(/(.)\/$/, '$1');
  try {
    return follows ? realpathSync(at) : join(realpathSync(dirname(at)), basename(at));
  } catch {
    return at === '/' ? at : join(placeOf(dirname(at)), basename(at));
  }
}

function covers(said: readonly (string | null)[], path: string): boolean {
  return said.some((one) => one === null || below(path, one));
}

interface Judging {
  readonly line: Line;
  readonly place: string;
  readonly stage: Stage;
}

/** What the line did beyond what was said of it. */
function unsaid({ happened }: Done, { line, place, stage }: Judging): readonly string[] {
  const { effects } = stage;
  const work = join(place, 'work');
  const reads = [...(effects?.reads ?? []), ...stage.reads];
  const changed = [...(effects?.writes ?? []), ...(effects?.into ?? []), ...stage.writes];
  const deletes = [...(effects?.deletes ?? []), ...changed];
  const free = [join(place, 'tmp'), ...(line.given.changes ?? []).map((one) => join(place, one))];
  // A repository that is made gets its settings, and a branch takes or is given its own.
  const makes =
    /^(?:init|clone|branch)$/.test(line.given.command?.[0] ?? '') ||
    stage.argv.some((word) => /^(?:--set-u|--tr|-\w*t$)/.test(word));
  const isFree = (path: string): boolean =>
    free.some((one) => below(path, one)) &&
    (makes || !/\/\.git\/(?:config(?:\.lock)?$|hooks\/(?!.*\.sample$))/.test(path));
  const folders = foldersOf(changed);
  const found: string[] = [];
  // The first is timeout, the second the program itself.
  const started = happened.filter(({ kind }) => kind === 'start').slice(2);
  for (const one of started) {
    if (one.kind !== 'start') continue;
    const name = basename(one.path);
    // How git talks to another repository of the machine.
    if (line.program === 'git' && /^git-(?:upload|receive)-pack '/.test(one.words[2] ?? ''))
      continue;
    const names = [
      line.program,
      basename(stage.argv[0] ?? ''),
      ...(line.given.helpers ?? []),
      ...(effects?.starts ?? []),
    ];
    const isOwn = one.path.startsWith('/usr/lib/git-core/') || names.includes(name);
    if (
      !isOwn ||
      name === 'canary' ||
      one.words.some((word) => /^(?:.*[;|&\s])?canary(?:\s.*)?$/.test(word) && isShell.test(name))
    )
      found.push(`starts ${one.path} ${one.words.slice(1).join(' ')}`);
  }
  for (const one of happened) {
    if (one.kind === 'reach' && effects?.network !== true) found.push('reaches another machine');
    if (one.kind === 'start' || one.kind === 'reach') continue;
    if (/^\/(?:dev|proc|sys)\/|^(?:pipe|socket|anon_inode):/.test(one.path)) continue;
    // A link in a tree that leads out of it is told as a place, which is asked about.
    if (one.kind === 'read' && stage.guarded.length > 0) continue;
    // `file -p` sets back the time of the last look.
    if (one.kind === 'touch' && line.program === 'file') continue;
    const path =
      one.kind === 'read'
        ? one.path
        : placeOf(one.path, one.kind === 'touch' || one.kind === 'change');
    if (one.kind === 'read') {
      const isOutside = below(path, dirname(place)) && !below(path, work);
      const isPlain = isFree(path) || /\/home\/[^/]*$/.test(path) || path === place;
      const isHome = below(path, join(place, 'home'));
      if (!isOutside || isPlain || isHome || covers([...reads, ...deletes], path)) continue;
      // The folder of a named file, to look for or to work in; its names are not read.
      if ([...folders, ...foldersOf(reads)].includes(path)) continue;
    } else {
      if (isFree(path) || covers(one.kind === 'delete' ? deletes : changed, path)) continue;
    }
    // `mkdir -p`, `install -D` and `rsync --mkpath` make what is missing on the way.
    const onWay = changed.some((said) => said !== null && below(said, path));
    if (one.kind === 'write' && /^(?:mkdir|install|rsync)$/.test(line.program) && onWay) continue;
    // A file for a while beside one that it may write: sed -i, sort, zip.
    if (!existsSync(path) && folders.includes(dirname(path)) && isTemporary(path)) continue;
    found.push(`${one.kind}s ${path}`);
  }
  return [...new Set(found)].map((one) => one.replaceAll(place, '{R}'));
}

const isShell = /^(?:ba|da)?sh$/;

const isTemporary = (path: string): boolean =>
  /[A-Za-z0-9]{6}$|\.(?:tmp|lock)/.test(basename(path));

const foldersOf = (paths: readonly (string | null)[]): readonly string[] =>
  paths.flatMap((one) => (one === null ? [] : [dirname(one), one]));

export interface Chunk {
  readonly analyser: Analyser;
  readonly yard: Yard;
  readonly from: readonly Source[];
  readonly seed: number;
  readonly count: number;
  readonly firstId: number;
  readonly tally: Tally;
}

/** Makes lines from a seed, runs those that a rule could let run, and notes what was not said. */
export async function compareChunk(chunk: Chunk): Promise<void> {
  const { analyser, yard, from, seed, count, firstId, tally } = chunk;
  const random = seeded(seed);
  const lines = Array.from({ length: count }, (_, at) => ({
    id: firstId + at,
    line: makeLine(from, random),
  }));
  tally.generated += count;
  const sample = yard.place(firstId);
  await prepare(yard, [{ id: firstId, program: 'git' }]);
  // All trees are alike, so the first tells which lines are worth one of their own.
  const worth = lines.filter(
    ({ line }) => openStage(analyser, yard, sample, textOf(line, sample)) !== null,
  );
  tally.asked += count - worth.length;
  const others = worth.filter(({ id }) => id !== firstId);
  await prepare(
    yard,
    others.map(({ id, line }) => ({ id, program: line.program })),
  );
  const judged = others.flatMap(({ id, line }) => {
    const place = yard.place(id);
    const text = textOf(line, place);
    const stage = openStage(analyser, yard, place, text);
    return stage === null ? [] : [{ id, line, place, text, stage }];
  });
  if (judged.length > 0) {
    const done = await trace(yard, judged);
    for (const one of judged) {
      const result = done.get(one.id);
      if (result === undefined || result.happened.length === 0)
        throw new Error(`nothing is known of ${one.text}`);
      tally.ran += 1;
      if (result.status === 124 || result.status === 137) tally.ended += 1;
      if (result.status === 0) tally.understood += 1;
      const beyond = unsaid(result, one);
      for (const what of beyond.slice(0, 3)) noteFailure(tally, one, what);
    }
  }
  clear(yard, [firstId, ...others.map(({ id }) => id)]);
}

function noteFailure(
  tally: Tally,
  { line, text, place }: Judging & { text: string },
  what: string,
): void {
  const key = `${line.program} ${line.given.command?.join(' ') ?? ''}: ${what.replace(/(\S+) .*\//, '$1 …/')}`;
  const shown = `${text.replaceAll(place, '{R}')}\n      ${what}`;
  tally.failures.set(key, [...(tally.failures.get(key) ?? []), shown]);
}

/** The first line of each kind of failure, or an empty text. */
export function describeFailures({ failures }: Tally): string {
  return [...failures]
    .map(([key, lines]) => `${lines.length} × ${key}\n    ${lines.slice(0, 2).join('\n    ')}`)
    .join('\n');
}
