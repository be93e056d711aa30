import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RefusalError, refuse } from '../base/index.ts';
import type { Refusal } from '../base/index.ts';
import {
  maxProjectFile,
  mostProjects,
  parseManaged,
  parseTrustedProjects,
  projectFileIn,
} from '../engine/index.ts';
import type { KeptProject, TrustedProject } from '../engine/index.ts';
import { withFileLock } from './file-lock.ts';
import { hashOfText, readCheckedFile, withPlainFile, writeFileAtomic } from './files.ts';

/** Beside `config.json`, so that whoever reads that reads this. */
export function trustedProjectsBeside(config: string): string {
  return join(dirname(config), 'trusted-projects.json');
}

const maxBytes = 2 * mostProjects * maxProjectFile;

/** The projects that a person trusted; none where there is no list. Never throws. */
export function readTrustedProjects(
  path: string,
  uid: number,
):
  | { readonly ok: true; readonly projects: readonly TrustedProject[] }
  | { readonly ok: false; readonly problem: Refusal } {
  const file = readCheckedFile<readonly TrustedProject[]>(path, {
    uid,
    maxBytes,
    parse: (text) => {
      const parsed = parseTrustedProjects(text);
      if (parsed.ok) return { ok: true, value: parsed.projects };
      const hint = `Put a backup of it back, or remove it and trust the projects again.`;
      const why = `${path} is not valid: ${parsed.problem}`;
      return { ok: false, problem: refuse('config-invalid', why, hint).refusal };
    },
  });
  if (file.ok) return { ok: true, projects: file.value };
  return file.missing ? { ok: true, projects: [] } : { ok: false, problem: file.problem };
}

/** What stands in the `.interlock.json` of a folder now. */
type ProjectFile =
  | { readonly state: 'absent' }
  | { readonly state: 'invalid'; readonly problem: string }
  | { readonly state: 'valid'; readonly project: Omit<KeptProject, 'trustedAt'> };

/** Looks at the file of a folder, whoever it belongs to: it counts for nothing by itself. Never throws. */
export function readProjectFile(named: string): ProjectFile {
  try {
    const folder = realpathSync.native(named);
    const { dev: device, ino: inode } = statSync(folder);
    const path = projectFileIn(folder);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return { state: 'absent' };
    const bytes = withPlainFile(path, (fd, { size }) =>
      size > maxProjectFile ? null : readFileSync(fd),
    );
    if (bytes === null)
      return invalid(`It is not a plain file of at most ${maxProjectFile} bytes.`);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const parsed = parseManaged(text, path, 'project');
    if (!parsed.ok) return invalid(parsed.problem);
    return { state: 'valid', project: { folder, device, inode, hash: hashOfText(text), text } };
  } catch {
    return invalid('It cannot be read.');
  }
}

function invalid(problem: string): ProjectFile {
  return { state: 'invalid', problem };
}

/** How what a person trusted stands to what is there now. */
export function trustStateOf(
  project: Pick<KeptProject, 'folder' | 'device' | 'inode' | 'hash'>,
): 'same' | 'changed' | 'gone' | 'another-folder' {
  const now = readProjectFile(project.folder);
  if (now.state === 'absent') return 'gone';
  if (now.state === 'invalid') return 'changed';
  const { device, inode, hash } = now.project;
  if (device !== project.device || inode !== project.inode) return 'another-folder';
  return hash === project.hash ? 'same' : 'changed';
}

function keptOf({ folder, device, inode, hash, text, trustedAt }: TrustedProject): KeptProject {
  return { folder, device, inode, hash, text, trustedAt };
}

/** Whether both are about one folder: its name, or what it is. */
export function isSameProject(
  one: Pick<KeptProject, 'folder' | 'device' | 'inode'>,
  other: Pick<KeptProject, 'folder' | 'device' | 'inode'>,
): boolean {
  if (one.folder === other.folder) return true;
  return one.device === other.device && one.inode === other.inode;
}

/**
 * Replaces the list by what `change` makes of it, under its lock. Throws the refusal of a list that is
 * not valid, and `invalid-request` where it would hold too many.
 */
export async function changeTrustedProjects(
  path: string,
  uid: number,
  change: (projects: readonly KeptProject[]) => readonly KeptProject[],
): Promise<void> {
  await withFileLock(`${path}.lock`, () => {
    const read = readTrustedProjects(path, uid);
    if (!read.ok) throw new RefusalError(read.problem);
    const projects = change(read.projects.map(keptOf));
    if (projects.length > mostProjects)
      throw refuse(
        'invalid-request',
        `More than ${mostProjects} projects cannot be trusted.`,
        'Take one out first: interlock policy untrust DIR',
      );
    writeFileAtomic(path, `${JSON.stringify({ version: 1, projects }, null, 2)}\n`);
  });
}
