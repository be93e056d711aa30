import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { s } from '../../../shared/base/index.ts';
import type { Static } from '../../../shared/base/index.ts';
import {
  ensurePrivateDirectory,
  ownUid,
  withFileLock,
  withPlainFile,
  writeFileAtomic,
} from '../../../shared/home/index.ts';
import { isSameFolder } from '../folders.ts';
import { repositoryAt, throughView } from '../workspace/git.ts';
import type { Repository } from '../workspace/git.ts';
import type { WorkspaceTools } from '../workspace/record.ts';
import { withLock } from '../workspace/run.ts';
import { filesToRead } from './project.ts';
import type { ProjectFiles } from './project.ts';

/** In the workspace. */
const folder = '.claude';
const file = 'interlock-skills.md';

const path = s.string({ pattern: '^/[^\\u0000\\n]{0,4095}$' });

/** What was written into a workspace, to be taken out of it again; null for nothing. */
export const placedSkillsSchema = s.object({
  /** The workspace. */
  tree: path,
  /** Whether `.claude` was made for it. */
  madeFolder: s.boolean(),
  /** Where Git is told to ignore it. */
  exclude: path,
});
export type PlacedSkills = Static<typeof placedSkillsSchema>;

/** Marks our lines in `info/exclude`, one pair a box. */
const lineOf = (box: string): string => `# interlock box ${box}`;
const pattern = `/${folder}/${file}`;

/**
 * Writes the text for agents beside the project's own files, and tells Git to ignore it. `keep` gets
 * what has to be taken back before anything is done. Where a file of that name is there, is tracked, or
 * could not be ignored, nothing is written, and null comes back: the agents have it in their home, too.
 */
export async function placeSkills(
  box: string,
  tree: string,
  text: string,
  tools: WorkspaceTools,
  keep: (placed: PlacedSkills) => void,
): Promise<PlacedSkills | null> {
  const repository = historyOf(tree);
  if (repository === null || repository.tree !== tree) return null;
  const stats = lstatSync(join(tree, folder), { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) return null;
  if (lstatSync(join(tree, folder, file), { throwIfNoEntry: false }) !== undefined) return null;
  if (!isSameFolder(repository.shared) || isLink(join(repository.shared, 'info'))) return null;
  if (await isTracked(box, tree, repository, tools)) return null;
  const placed = {
    tree,
    madeFolder: stats === undefined,
    exclude: join(repository.shared, 'info', 'exclude'),
  };
  keep(placed);
  await editExclude(placed.exclude, tools, (lines) => [...lines, lineOf(box), pattern]);
  if (placed.madeFolder) mkdirSync(join(tree, folder), { recursive: true });
  writeNew(join(tree, folder, file), text);
  return placed;
}

/** Who brought the repository along would choose where we write. */
function isLink(at: string): boolean {
  return lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function writeNew(target: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/**
 * Takes out what was written. A file that somebody has given to Git in the meantime is theirs and stays.
 * Doing it again changes nothing.
 */
export async function removeSkills(
  box: string,
  { tree, madeFolder, exclude }: PlacedSkills,
  tools: WorkspaceTools,
): Promise<void> {
  const repository = historyOf(tree);
  const target = join(tree, folder, file);
  const isPlain =
    isSameFolder(tree) &&
    lstatSync(join(tree, folder), { throwIfNoEntry: false })?.isDirectory() === true &&
    lstatSync(target, { throwIfNoEntry: false })?.isFile() === true;
  if (isPlain && (repository === null || !(await isTracked(box, tree, repository, tools))))
    unlinkSync(target);
  if (madeFolder && isSameFolder(tree))
    try {
      rmdirSync(join(tree, folder));
    } catch {
      // There is something else in it by now, or it is gone.
    }
  if (!isSameFolder(dirname(exclude)) || !lstatSync(exclude, { throwIfNoEntry: false })?.isFile())
    return;
  await editExclude(exclude, tools, (lines) => {
    const at = lines.indexOf(lineOf(box));
    return at < 0 ? lines : lines.toSpliced(at, lines[at + 1] === pattern ? 2 : 1);
  });
}

/** The repository around a folder; null for none, and for the empty folder that a box may leave as `.git`. */
export function historyOf(tree: string): Repository | null {
  try {
    const found = repositoryAt(tree);
    const isReal = lstatSync(join(found.own, 'HEAD'), { throwIfNoEntry: false }) !== undefined;
    return isReal ? found : null;
  } catch {
    return null;
  }
}

async function isTracked(
  box: string,
  tree: string,
  { own, shared }: Repository,
  { root, home, path: where }: WorkspaceTools,
): Promise<boolean> {
  ensurePrivateDirectory(root, { uid: ownUid() });
  return withLock(join(root, `.${box}.lock`), async (lock) => {
    const context = { home, path: where, locks: [lock] };
    const words = ['ls-files', '--', `${folder}/${file}`];
    // What cannot be told is taken for somebody's.
    try {
      const ran = await throughView({ own, shared, tree }, context, (git) => git(words));
      return ran.code !== 0 || ran.stdout !== '';
    } catch {
      return true;
    }
  });
}

/** Others may be at the same lines: boxes on one repository have this file in common. */
async function editExclude(
  target: string,
  { root }: Pick<WorkspaceTools, 'root'>,
  edit: (lines: readonly string[]) => readonly string[],
): Promise<void> {
  ensurePrivateDirectory(root, { uid: ownUid() });
  await withFileLock(join(root, '.exclude.lock'), () => {
    const text = withPlainFile(target, (fd) => readFileSync(fd, 'utf8')) ?? '';
    const ends = text === '' || text.endsWith('\n');
    const before = text.split('\n').slice(0, ends ? -1 : undefined);
    const after = edit(before);
    if (after === before) return;
    const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o644;
    mkdirSync(dirname(target), { recursive: true });
    writeFileAtomic(target, after.map((line) => `${line}\n`).join(''), { mode: mode & 0o777 });
  });
}

const mostText = 512 * 1024;

/** The files at the top of a project, with the text of those that say something. Links are not followed. */
export function readProject(tree: string): ProjectFiles {
  const files = new Map<string, string | null>();
  for (const entry of readdirSync(tree, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = filesToRead.includes(entry.name) ? textAt(join(tree, entry.name)) : null;
    files.set(entry.name, text);
  }
  return files;
}

function textAt(target: string): string | null {
  return withPlainFile(target, (fd, { size }) =>
    size > mostText ? null : readFileSync(fd, 'utf8'),
  );
}
