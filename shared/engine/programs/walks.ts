import { heldBelow, isGuardedUse, placeContext } from '../places/context.ts';
import { absolute } from '../places/place-of.ts';
import { lookThrough, rootInside } from '../places/tree.ts';
import type { Walk } from '../places/tree.ts';
import type { PlaceContext } from '../places/types.ts';
import type { GuardedUse } from '../plan/types.ts';
import { writtenPath } from './effects.ts';
import { never, open, pinned, strictest, type Finding } from './finding.ts';
import { isExactName, nameMatches } from './names.ts';
import { recordOf } from './list.ts';
import type { Argument, Effect, Manner, ProgramRecord, Reading, Taken } from './types.ts';
import type { GuardPlace } from './writes/guarded.ts';

/**
 * Programs that go through folders by themselves. What they come by there stands in no argument, so
 * the tree is looked through as they would: for secrets, and for links that lead out.
 */

type Walker = NonNullable<ProgramRecord['walks']>;

const all = (): boolean => true;

export function on({ options }: Reading, ...names: readonly string[]): boolean {
  return options.some((one) => names.includes(one.name) && !one.negated);
}

function values({ options }: Reading, ...names: readonly string[]): readonly string[] {
  return options.flatMap(({ name, value, live }) =>
    value !== null && !live && names.includes(name) ? [value] : [],
  );
}

/** Names that no program of this kind has to go through to find what an agent looks for. */
const bulky: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', 'target']);

function unless(patterns: readonly string[]): Walk['enters'] {
  // Only what surely leaves a name out may leave it unseen.
  const sure = patterns.map((one) => one.replace(/\/+$/, '')).filter((one) => isExactName(one));
  return (name) => !sure.some((pattern) => nameMatches(pattern, name));
}

export function grepGoes(reading: Reading, name: string): Manner | null {
  const follows = on(reading, '-R', '--dereference-recursive');
  const directories = values(reading, '-d', '--directories').some((one) => one.startsWith('r'));
  if (!follows && !directories && name !== 'rgrep' && !on(reading, '-r', '--recursive'))
    return null;
  const chosen = reading.options.filter(
    ({ name: one }) => one === '--include' || one === '--exclude',
  );
  const included = values(reading, '--include');
  const kept = unless(values(reading, '--exclude'));
  const strict = chosen[0]?.name === '--include';
  return {
    follows,
    hidden: true,
    enters: unless(values(reading, '--exclude-dir')),
    opens: (file) =>
      included.some((one) => nameMatches(one, file)) ||
      (!(strict && included.length > 0) && kept(file)),
    ...(name === 'rgrep' && reading.operands.length < 2 ? { roots: ['.'] } : {}),
  };
}

/** Types of files of which none holds secrets by its name. */
const plainTypes =
  /^(?:ts|typescript|js|py|python|rust|go|java|kotlin|swift|c|cpp|h|cs|csharp|css|less|sass|html|md|markdown|sh|ruby|php|scala|lua|sql|vue|svelte|make|cmake|tex|elixir|erlang|haskell|perl|r|dart|zig)$/;

function ripgrep(reading: Reading): Manner | null {
  // With `-` alone it reads its input, and goes nowhere.
  const named = reading.effects.some((one) => one.kind === 'path' && one.tree === true);
  return on(reading, '--files', '--type-list') || !named ? null : ripgrepGoes(reading);
}

export function ripgrepGoes(reading: Reading): Manner | null {
  const unrestricted = reading.options.filter(
    ({ name }) => name === '-u' || name === '--unrestricted',
  );
  const globs = values(reading, '-g', '--glob', '--iglob');
  const wanted = globs.filter((one) => !one.startsWith('!'));
  const types = values(reading, '-t', '--type');
  const named = types.length > 0 && types.every((one) => plainTypes.test(one));
  const unwanted = unless(globs.filter((one) => one.startsWith('!')).map((one) => one.slice(1)));
  if (named && wanted.length === 0 && !on(reading, '--type-add') && !on(reading, '-L', '--follow'))
    return null;
  return {
    follows: on(reading, '-L', '--follow'),
    // A glob that a hidden name fits brings it in.
    hidden: on(reading, '-.', '--hidden') || unrestricted.length > 1 || wanted.length > 0,
    depth: depthOf(values(reading, '-d', '--max-depth', '--maxdepth')),
    enters: wanted.length === 0 ? unwanted : all,
    opens: (file) =>
      (wanted.length === 0 || wanted.some((one) => nameMatches(one, file))) &&
      (wanted.length > 0 || unwanted(file)),
  };
}

function depthOf(given: readonly string[]): number {
  const last = given.at(-1);
  return last !== undefined && /^\d+$/.test(last) ? Math.max(1, Number(last)) : Infinity;
}

const findJoins: ReadonlySet<string> = new Set(['-o', '-or', ',', '(']);
const findRuns = /^-(?:exec|execdir|ok|okdir|delete)$/;
/** Commands of `find -exec` and xargs that only look at names and facts of files. */
export const namesOnly: ReadonlySet<string> = new Set(
  `echo printf ls stat test [ basename dirname realpath readlink file du true wc md5sum sha1sum sha256sum
  chmod chown chgrp touch rm rmdir mkdir`.split(/\s+/),
);

function find(reading: Reading): Manner | null {
  const follows = on(reading, '-L', '-follow');
  const commands = reading.effects.filter((one) => one.kind === 'command');
  const shown = commands.some(({ words }) => !namesOnly.has(baseName(words[0]?.text ?? '')));
  if (!follows && !shown) return null;
  const action = reading.options.findIndex(({ name }) => findRuns.test(name));
  const tests = testsOf(reading.options.slice(0, action === -1 ? undefined : action));
  return {
    follows,
    hidden: true,
    namesOnly: !shown,
    changes: follows && on(reading, '-delete'),
    ...chosenBy(tests, reading),
  };
}

/** What the tests of find leave. */
export function chosenBy(
  tests: readonly Taken[],
  reading: Reading,
): Pick<Manner, 'depth' | 'opens' | 'opensLinks'> {
  const noLinks = tests.some(
    ({ name, value }) => name === '-type' && value?.includes('l') !== true,
  );
  return {
    depth: depthOf(values(reading, '-maxdepth')),
    opens: (file, path) => tests.every((one) => testHolds(one, file, path)),
    opensLinks: !noLinks,
  };
}

/** Tests in front of an action, where all of them have to hold. */
export function testsOf(options: readonly Taken[]): readonly Taken[] {
  return options.some(({ name }) => findJoins.has(name)) ? [] : positive(options);
}

/** Tests that are not taken back by a `!` in front. */
function positive(options: readonly Taken[]): readonly Taken[] {
  return options.filter((_, at) => !/^(?:!|-not)$/.test(options[at - 1]?.name ?? ''));
}

function testHolds({ name, value }: Taken, file: string, path: string): boolean {
  if (value === null) return true;
  if (name === '-name' || name === '-iname') return nameMatches(value, file);
  if (/^-i?(?:path|wholename)$/.test(name)) return nameMatches(value, path);
  return !(name === '-type' && value === 'd');
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function copies(reading: Reading): Manner | null {
  if (!on(reading, '-r', '-R', '--recursive', '-a', '--archive')) return null;
  return { follows: on(reading, '-L', '--dereference'), hidden: true };
}

function rsync(reading: Reading): Manner | null {
  if (!on(reading, '-r', '--recursive', '-a', '--archive')) return null;
  // An earlier rule of another kind can take back what an exclusion leaves out.
  const mixed = on(reading, '--include', '--include-from', '-f', '--filter', '-F');
  const kept = mixed ? all : unless(values(reading, '--exclude'));
  return {
    follows: on(reading, '-L', '--copy-links', '-k', '--copy-dirlinks', '--copy-unsafe-links'),
    hidden: true,
    enters: kept,
    opens: kept,
  };
}

function tar(reading: Reading): Manner | null {
  const packs = ['-c', '--create', '-r', '--append', '-u', '--update'];
  if (!on(reading, ...packs)) return null;
  const turned = on(reading, '--no-wildcards', '--anchored', '--no-wildcards-match-slash');
  const kept = turned ? all : unless(values(reading, '--exclude'));
  return {
    follows: on(reading, '-h', '--dereference', '-L'),
    hidden: true,
    enters: kept,
    opens: kept,
  };
}

function zip(reading: Reading): Manner | null {
  if (!on(reading, '-r', '-R', '--recurse-paths', '--recurse-patterns')) return null;
  return { follows: !on(reading, '-y', '--symlinks'), hidden: true };
}

const looksDeep =
  (...names: readonly string[]): Walker =>
  (reading) =>
    on(reading, ...names) ? { follows: true, hidden: true, namesOnly: true } : null;
const changesDeep: Walker = (reading) =>
  on(reading, '-L') ? { follows: true, hidden: true, namesOnly: true, changes: true } : null;
const silver: Walker = (reading) => ({
  follows: on(reading, '-f', '--follow'),
  hidden: on(reading, '--hidden', '-u', '--unrestricted', '-a', '--all-types', '--all-text'),
  ...hereWithout(reading),
});
/** The first operand is the pattern. */
const hereWithout = ({ operands }: Reading): Partial<Manner> =>
  operands.length < 2 ? { roots: ['.'] } : {};

const walkers: Readonly<Record<string, Walker>> = {
  grep: grepGoes,
  rgrep: grepGoes,
  egrep: grepGoes,
  fgrep: grepGoes,
  ggrep: grepGoes,
  zgrep: grepGoes,
  rg: ripgrep,
  ripgrep,
  ag: silver,
  ack: (reading) => ({ follows: on(reading, '--follow'), hidden: true, ...hereWithout(reading) }),
  find,
  gfind: find,
  cp: copies,
  gcp: copies,
  rsync,
  openrsync: rsync,
  tar,
  gtar: tar,
  bsdtar: tar,
  zip,
  '7z': (reading) => ({ follows: !on(reading, '-snl'), hidden: true }),
  scp: (reading) => (on(reading, '-r') ? { follows: true, hidden: true } : null),
  diff: (reading) =>
    on(reading, '-r', '--recursive')
      ? {
          follows: !on(reading, '--no-dereference'),
          hidden: true,
          opens: unless(values(reading, '-x', '--exclude')),
          enters: unless(values(reading, '-x', '--exclude')),
        }
      : null,
  ls: looksDeep('-L', '--dereference'),
  du: looksDeep('-L', '--dereference', '-D', '-H'),
  tree: looksDeep('-l'),
  fd: looksDeep('-L', '--follow'),
  fdfind: looksDeep('-L', '--follow'),
  chmod: changesDeep,
  chown: changesDeep,
  chgrp: changesDeep,
};

export interface Walked {
  readonly finding: Finding;
  readonly guarded: readonly GuardedUse[];
  /** The folders in which files are changed, where that was asked. */
  readonly changed?: readonly string[];
}

/** What a program comes by in the folders that it goes through. */
export function judgeWalks(
  reading: Reading,
  {
    name,
    args,
    at,
  }: { readonly name: string; readonly args: readonly Argument[]; readonly at: GuardPlace },
): Walked {
  const walker =
    recordOf(name)?.walks ?? (Object.hasOwn(walkers, name) ? walkers[name] : undefined);
  const manner = walker?.(reading, name) ?? null;
  if (manner === null) return { finding: open, guarded: [] };
  return goThrough(reading, manner, { name, args, at });
}

export function goThrough(
  reading: Reading,
  manner: Manner,
  {
    name,
    args,
    at,
    changes = false,
  }: {
    readonly name: string;
    readonly args: readonly Argument[];
    readonly at: GuardPlace;
    /** Whoever is handed the names changes the files. */
    readonly changes?: boolean;
  },
): Walked {
  const context = placeContext(at.surroundings, at.cwd);
  const named = rootsOf(reading, args, manner);
  const here = manner.roots ?? (named.length === 0 ? ['.'] : null);
  const trees = here?.map((path) => ({ path, word: null })) ?? named;
  let finding: Finding = open;
  const guarded: GuardedUse[] = [];
  const changed: string[] = [];
  for (const { path, word } of trees) {
    if (at.cwd === null && !/^[/~]/.test(path)) {
      finding = strictest(finding, pinned(`${name} goes through a folder that is not known`));
      continue;
    }
    const root = changes ? rootInside(absolute(path, context), context) : null;
    if (changes && root === null) {
      finding = strictest(finding, pinned(`${name} names files outside of the project`));
      continue;
    }
    const walked = walk(path, { name, word, manner, context, changes });
    finding = strictest(finding, walked.finding);
    guarded.push(...walked.guarded);
    changed.push(...(root === null ? [] : [root]));
  }
  return changes ? { finding, guarded, changed } : { finding, guarded };
}

type Tree = Extract<Effect, { kind: 'path' }>;

function rootsOf(
  { effects }: Reading,
  args: readonly Argument[],
  { changes = false, namesOnly: shallow = false }: Manner,
): readonly { readonly path: string; readonly word: string | null }[] {
  const isRoot = (one: Effect): one is Tree =>
    one.kind === 'path' &&
    (one.use === 'reads' ? one.tree === true || shallow : changes || one.use === 'edits') &&
    one.live !== true;
  return effects
    .filter(isRoot)
    .map((one) => ({ path: writtenPath(one), word: args[one.word]?.text ?? null }));
}

function walk(
  root: string,
  {
    name,
    word,
    manner,
    context,
    changes,
  }: {
    readonly name: string;
    readonly word: string | null;
    readonly manner: Manner;
    readonly context: PlaceContext;
    readonly changes: boolean;
  },
): Walked {
  const shallow = manner.namesOnly === true;
  const use = (placement: GuardedUse['placement']): Walked => ({
    finding: open,
    guarded: isGuardedUse('read', placement) ? [{ use: 'read', word, placement }] : [],
  });
  if (!shallow && !changes) {
    const held = heldBelow(absolute(root, context), 'read', context);
    if (held !== null) return use(held);
  }
  const { follows, hidden, depth = Infinity, opens = all, enters = all, odd } = manner;
  const { opensLinks = false } = manner;
  const seen = lookThrough(
    { root: absolute(root, context), shown: root },
    {
      follows,
      hidden,
      depth,
      linksOnly: shallow,
      opensLinks: opensLinks && !shallow,
      ...(odd === undefined ? {} : { odd }),
      opens,
      enters: (folder) => enters(folder) && (follows || changes || !bulky.has(folder)),
      changes,
    },
    context,
  );
  if (seen.out !== null)
    return {
      finding: pinned(`${name} follows ${seen.out}, a link that leads out of the project`),
      guarded: [],
    };
  if (seen.kept !== null && changes)
    return {
      finding: pinned(`${seen.kept.path} could be among what is changed, and ${seen.kept.reason}`),
      guarded: [],
    };
  if (seen.kept !== null) return use(seen.kept);
  if (seen.odd !== null)
    return {
      // What it would be taken for stands in no word of a rule.
      finding: never(`the name ${JSON.stringify(seen.odd)} would be taken for something else`),
      guarded: [],
    };
  return seen.whole
    ? { finding: open, guarded: [] }
    : { finding: pinned(`${name} goes through more files than can be looked at`), guarded: [] };
}
