import { dirname } from 'node:path';
import { displayPlain } from '../../shared/base/index.ts';
import { projectFileIn } from '../../shared/engine/index.ts';
import type { Config, KeptProject } from '../../shared/engine/index.ts';
import {
  changeTrustedProjects,
  isSameProject,
  openHome,
  readProjectFile,
  readTrustedProjects,
  trustStateOf,
  trustedProjectsBeside,
} from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { hasPassphrase, requirePassphrase } from '../../shared/operations/index.ts';
import { CliError } from './failure.ts';
import { say } from './io.ts';
import type { Io } from './io.ts';
import { choosePassphrase, confirm, readHidden, requirePersonHere, sayWait } from './presence.ts';

/** Files of projects around a folder that do not count as they stand, and why. */
export function ignoredIn(
  folder: string,
  { projects = [] }: Pick<Config, 'projects'>,
): readonly { readonly path: string; readonly why: string }[] {
  const found: { path: string; why: string }[] = [];
  for (let here = folder; ; here = dirname(here)) {
    const now = readProjectFile(here);
    if (now.state !== 'absent') {
      const trusted = projects.find((one) =>
        now.state === 'valid' ? isSameProject(one, now.project) : one.folder === here,
      );
      const why = whyIgnored(now, trusted);
      if (why !== null) found.push({ path: projectFileIn(here), why });
    }
    if (dirname(here) === here) return found;
  }
}

function whyIgnored(
  now: ReturnType<typeof readProjectFile>,
  trusted: KeptProject | undefined,
): string | null {
  const holds = trusted === undefined ? '' : ' What was trusted holds on.';
  if (now.state === 'invalid') return `It is not valid: ${now.problem}${holds}`;
  if (trusted === undefined)
    return 'No person has trusted it: interlock policy trust DIR (at a terminal)';
  return trustStateOf(trusted) === 'same'
    ? null
    : `It is not what a person trusted. Trust it anew: interlock policy trust DIR.${holds}`;
}

/**
 * Shows a person what the file of a project says and takes their yes to it. Where the project was
 * trusted before, less could hold then, so that the passphrase is asked for. Throws for anybody else.
 */
export async function trustProject(folder: string, io: Io): Promise<void> {
  const home = openHome(io.env);
  requirePersonHere(io, home);
  const path = projectFileIn(folder);
  const now = readProjectFile(folder);
  if (now.state === 'absent')
    throw new CliError(`There is no ${path}.`, 'Name the folder of a project that has one.');
  if (now.state === 'invalid')
    throw new CliError(`${path} cannot be trusted: ${now.problem}`, 'Mend it first.');
  const { project } = now;
  const list = trustedProjectsBeside(home.config);
  const before = trustedIn(list, home.uid).filter((one) => isSameProject(one, project));
  if (before.some((one) => one.folder === project.folder && trustStateOf(one) === 'same')) {
    say(io.stdout, `${path} is trusted as it stands.`);
    return;
  }
  say(io.stdout, `${displayPlain(projectFileIn(project.folder))} says:`);
  for (const line of project.text.trimEnd().split('\n')) say(io.stdout, `  ${displayPlain(line)}`);
  const question = 'Let it bound what is done in this folder? It can only tighten. [y/N] ';
  if (!(await confirm(io, question, ['y', 'yes']))) {
    say(io.stdout, 'Nothing was changed.');
    return;
  }
  if (before.length > 0) await requireStepUp(home, io);
  // What was shown is what is kept, whatever stands in the file by now.
  await changeTrustedProjects(list, home.uid, (projects) => [
    ...projects.filter((one) => !isSameProject(one, project)),
    { ...project, trustedAt: io.now() },
  ]);
  say(io.stdout, 'It holds from the next request on.');
}

/** Takes a project's bounds back, for a person with the passphrase. Throws for anybody else. */
export async function untrustProject(folder: string, io: Io): Promise<void> {
  const home = openHome(io.env);
  requirePersonHere(io, home);
  const list = trustedProjectsBeside(home.config);
  const now = readProjectFile(folder);
  const isIt = (one: KeptProject): boolean =>
    one.folder === folder || (now.state === 'valid' && isSameProject(one, now.project));
  const trusted = trustedIn(list, home.uid);
  if (!trusted.some(isIt)) {
    say(io.stdout, `${displayPlain(folder)} is not trusted; nothing was changed.`);
    return;
  }
  await requireStepUp(home, io);
  await changeTrustedProjects(list, home.uid, (projects) => projects.filter((one) => !isIt(one)));
  say(io.stdout, 'What its file said holds no more, from the next request on.');
}

function trustedIn(list: string, uid: number): readonly KeptProject[] {
  const read = readTrustedProjects(list, uid);
  if (read.ok) return read.projects;
  throw new CliError(read.problem.message, read.problem.hint);
}

async function requireStepUp(home: Home, io: Io): Promise<void> {
  const file = { path: home.passphrase, uid: home.uid };
  if (!hasPassphrase(file)) await choosePassphrase(io, file);
  const passphrase = await readHidden(io, 'Passphrase: ');
  await requirePassphrase(passphrase, {
    paths: home,
    uid: home.uid,
    now: io.now,
    by: 'person at a terminal',
    onWait: sayWait(io),
  });
}
