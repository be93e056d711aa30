import { compile, readJson, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { parseManaged, managedBounds } from './managed.ts';
import type { Managed } from './managed.ts';
import { joinPath } from './plan/paths.ts';
import type { Analysis, CommandRequest, FileView, Stage } from './plan/types.ts';
import { recordOf } from './programs/list.ts';
import { onlyRuns } from './programs/named.ts';
import { boundPolicy } from './policy/resolve.ts';
import type { EffectivePolicy } from './policy/types.ts';
import { tightest } from './routing.ts';
import type { DecideInput } from './decide/types.ts';

/**
 * A project's own `.interlock.json`: bounds for what is done in its folder, in the form of the
 * administrator's. What counts is the text that a person trusted, which the home keeps: an agent that
 * changes or removes the file changes nothing.
 */
const projectFileName = '.interlock.json';

/** Characters of such a file; more is not read. */
export const maxProjectFile = 64 * 1024;
export const mostProjects = 100;

const trustedProject = s.object({
  /** Its real path when it was trusted. */
  folder: s.string({ pattern: '^/[^\\u0000]*$', maxLength: 4_096 }),
  /** Which folder that was, whatever it is called by now. */
  device: s.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  inode: s.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /** sha256 (hex) of the text. */
  hash: s.string({ pattern: '^[0-9a-f]{64}$' }),
  text: s.string({ maxLength: maxProjectFile }),
  /** Milliseconds since the epoch. */
  trustedAt: s.number(),
});
/** One project as the home keeps it. */
export type KeptProject = Static<typeof trustedProject>;

const trustedSchema = s.object({
  version: s.literal(1),
  projects: s.array(trustedProject, { maxItems: mostProjects }),
});

/** A project whose file a person trusted, and what it says. */
export interface TrustedProject extends KeptProject {
  readonly managed: Managed;
}

const check = compile(trustedSchema);

/** Where the file of a project lies. */
export function projectFileIn(folder: string): string {
  return `${folder === '/' ? '' : folder}/${projectFileName}`;
}

/** Reads the list that the home keeps; `problem` is a sentence about what is not valid in it. */
export function parseTrustedProjects(
  text: string,
):
  | { readonly ok: true; readonly projects: readonly TrustedProject[] }
  | { readonly ok: false; readonly problem: string } {
  const checked = readJson(check, text);
  if (!checked.ok) return { ok: false, problem: checked.error };
  const projects: TrustedProject[] = [];
  for (const kept of checked.value.projects) {
    const parsed = parseManaged(kept.text, projectFileIn(kept.folder), 'project');
    if (!parsed.ok) return { ok: false, problem: `What ${kept.folder} says: ${parsed.problem}` };
    projects.push({ ...kept, managed: parsed.managed });
  }
  return { ok: true, projects };
}

/**
 * What holds for something that is done in a folder: the bounds of each trusted project that it is, or
 * lies in. A project is known by its path and by its identity, so that neither a move nor another folder
 * in its place takes them away.
 */
export function projectsOf(
  projects: readonly TrustedProject[] | undefined,
  folders: readonly string[],
  files: Pick<FileView, 'realPath' | 'facts'>,
): readonly Managed[] {
  if (projects === undefined || projects.length === 0) return [];
  const around = new Set(
    folders.flatMap((folder) => [...above(folder), ...above(files.realPath(folder) ?? folder)]),
  );
  const identities = new Set(
    [...around].flatMap((path) => {
      const facts = files.facts(path);
      return facts === null ? [] : [`${String(facts.device)}:${String(facts.inode)}`];
    }),
  );
  return projects
    .filter(
      ({ folder, device, inode }) =>
        around.has(folder) || identities.has(`${String(device)}:${String(inode)}`),
    )
    .map(({ managed }) => managed);
}

function above(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
}

/**
 * The folders in which a command works beside its own: where its stages run, where they change files,
 * and what is named to a program that runs what lies there (`git -C DIR`, `make -C`, `npm --prefix`,
 * `node DIR/x.js`), by whatever option. What is no more than read is not worked in.
 */
function foldersOf(
  analysis: Analysis,
  { command, argv = [], cwd: start }: CommandRequest,
  files: Pick<FileView, 'realPath'>,
): readonly string[] {
  // Of what is not understood, every word may lead somewhere.
  const words = analysis.ok ? [] : [...argv, ...(command ?? '').split(/[\s'"=;|&()<>`\\]+/)];
  const stages = (analysis.ok ? analysis.plan.stages : analysis.stages).flatMap(withCarried);
  const changed = stages.flatMap((stage) => {
    const { cwd, writes, effects, script } = stage;
    return [
      ...(cwd === null ? [] : [cwd]),
      ...(script === null ? [] : [script]),
      ...[
        ...writes,
        ...(effects?.writes ?? []),
        ...(effects?.deletes ?? []),
        ...(effects?.into ?? []),
      ].flatMap((path) => path ?? []),
      ...(runsWhatIsThere(stage) ? existing(wordsOf(stage), { cwd, files }) : []),
    ];
  });
  const named = existing(words, { cwd: start, files });
  return [...new Set([...changed, ...named])].filter((path) => path.startsWith('/'));
}

function withCarried(stage: Stage): readonly Stage[] {
  return [stage, ...stage.carries.flatMap(withCarried)];
}

/** A program of which nothing is known counts as one. */
function runsWhatIsThere({ executable, argv }: Stage): boolean {
  const path = executable.kind === 'file' ? executable.path : (argv[0] ?? '');
  const record = recordOf(path.slice(path.lastIndexOf('/') + 1));
  return (
    record === null || onlyRuns(record) || record.project !== undefined || record.ownRules === true
  );
}

function wordsOf({ argv, assignments }: Stage): readonly string[] {
  return [...argv.slice(1), ...assignments.map(({ value }) => value)];
}

/**
 * Whatever is there among some words, also behind `=` and a letter (`-C../x`), and from a folder that
 * an earlier word named (`git -C a -C b`).
 */
function existing(
  words: readonly string[],
  { cwd, files }: { readonly cwd: string | null; readonly files: Pick<FileView, 'realPath'> },
): readonly string[] {
  const found: string[] = [];
  for (const word of words.slice(0, mostWords))
    for (const one of [word, word.slice(word.indexOf('=') + 1), word.replace(/^-\w/, '')]) {
      if (one === '' || one.length > 4_096) continue;
      const bases = one.startsWith('/') ? ['/'] : [...(cwd === null ? [] : [cwd]), ...found];
      for (const base of bases.slice(0, mostBases)) {
        const real = files.realPath(joinPath(base, one));
        if (real !== null && !found.includes(real)) found.push(real);
      }
    }
  return found;
}

const mostWords = 256;
const mostBases = 8;

/**
 * A command may work in other folders than the one it starts in. Which, is known only now; where a
 * project there does not have it on this host, nothing of it runs.
 */
export function heldByProjects(
  {
    policy,
    analysis,
    request,
    host,
  }: Pick<DecideInput, 'policy' | 'analysis' | 'request' | 'host'>,
  projects: readonly TrustedProject[] | undefined,
  files: FileView,
): EffectivePolicy {
  const folders = projects === undefined ? [] : foldersOf(analysis, request, files);
  const found = projectsOf(projects, folders, files);
  if (found.length === 0) return policy;
  const { security, ask, hosts, rules } = managedBounds(found, [policy.agent]);
  // `auto` settles on one of two, and brokered tools have policies of their own.
  const isOfAuto = host === 'gateway' || host === 'sandbox';
  const isElsewhere =
    host !== 'tools' &&
    hosts.some(({ value }) => !value.includes(host) && !(isOfAuto && value.includes('auto')));
  return boundPolicy(policy, {
    security: isElsewhere ? 'deny' : tightest(security),
    ask: tightest(ask),
    rules: rules.filter((rule) => !policy.rules.includes(rule)),
  });
}
