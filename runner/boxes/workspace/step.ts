import { join } from 'node:path';
import { displayPlain } from '../../../shared/base/index.ts';
import type { BoxTemplate } from '../../../shared/engine/index.ts';
import { baseEnvironment, programOnPath } from '../../../shared/home/index.ts';
import type { Entry } from '../../hosts/sandbox/message.ts';
import type { BoxRecord } from '../record.ts';
import { historyOf, placeSkills, readProject, removeSkills } from '../skills/files.ts';
import { analyseProject } from '../skills/project.ts';
import { skillEntries, skillText } from '../skills/text.ts';
import type { Kept, ReleaseOptions, WorkspaceSource, WorkspaceTools } from './record.ts';
import { prepareWorkspace, releaseWorkspace, strayWorkspaces } from './workspaces.ts';

/** Where the workspaces of a home are made: beside it, since no box sees it itself. */
export function workspaceRoot(interlockHome: string): string {
  return join(`${interlockHome}-boxes`, 'worktrees');
}

/** What preparing works with, for a person's variables. */
export function workspaceTools(
  env: Readonly<Record<string, string | undefined>>,
  interlockHome: string,
  tell: (line: string) => void,
): WorkspaceTools {
  const { HOME: home = '/', PATH: path = '' } = baseEnvironment(env);
  const agent = env['SSH_AUTH_SOCK'];
  const signIn = agent === undefined ? {} : { SSH_AUTH_SOCK: agent };
  return { root: workspaceRoot(interlockHome), home, interlockHome, path, signIn, tell };
}

/** What somebody wants; a text is a folder as it is, whose real path `folderAt` says. */
export function sourceOf(
  given: string | WorkspaceSource,
  folderAt: (path: string) => string,
): WorkspaceSource {
  return typeof given === 'string' ? { kind: 'directory', path: folderAt(given) } : given;
}

/** The record of a workspace before anything is decided: where it will be, and nothing to give back. */
export function plannedWorkspace(
  name: string,
  source: WorkspaceSource,
  interlockHome: string,
): BoxRecord['workspace'] {
  const path = source.kind === 'directory' ? source.path : join(workspaceRoot(interlockHome), name);
  return { kind: 'directory', path };
}

/**
 * Makes the workspace of a box, and writes into it what agents are told. `write` keeps each state of the
 * record before what it says is done.
 */
export async function makeWorkspace(
  before: BoxRecord,
  source: WorkspaceSource,
  tools: WorkspaceTools,
  write: (record: BoxRecord) => void,
): Promise<BoxRecord> {
  const { name } = before;
  let record = before;
  const keep = (change: Partial<BoxRecord>): void => {
    record = { ...record, ...change };
    write(record);
  };
  const prepared = await prepareWorkspace(name, source, tools, (workspace) => keep({ workspace }));
  for (const note of prepared.notes) tools.tell(note);
  const text = toldIn(record, tools);
  if (text !== null)
    await placeSkills(name, record.workspace.path, text, tools, (skills) => keep({ skills }));
  return record;
}

/** Gives back what `makeWorkspace` made, at whichever step it was stopped; what was left, as sentences. */
export async function giveBackWorkspace(
  { skills, ...record }: BoxRecord,
  options: ReleaseOptions,
  tools: WorkspaceTools,
  write: (record: BoxRecord) => void,
): Promise<{ readonly record: BoxRecord; readonly notes: readonly string[] }> {
  if (skills !== undefined) {
    await removeSkills(record.name, skills, tools);
    write(record);
  }
  const kept = await releaseWorkspace(record.name, record.workspace, options, tools);
  return { record, notes: kept.map(sentenceOf) };
}

function sentenceOf({ what, where, why }: Kept): string {
  return displayPlain(`The ${what} ${where} was left: ${why}.`);
}

/** Programs of which an agent is told that they are there. */
const known =
  'git jj gh node npm pnpm yarn bun deno python3 uv cargo go java ruby make cmake gcc rg jq curl sqlite3'.split(
    ' ',
  );

/** The text for the agents in a box; null where the template wants none. */
function toldIn(
  { name, workspace, template, network }: BoxRecord,
  { path, brokered = [] }: Pick<WorkspaceTools, 'path' | 'brokered'>,
): string | null {
  const { skills }: Pick<BoxTemplate, 'skills'> = template;
  if (skills?.enabled === false) return null;
  return skillText({
    box: name,
    workspace,
    hasGit: historyOf(workspace.path) !== null,
    network,
    tools: known.filter((one) => programOnPath(one, path) !== null),
    brokered,
    project: analyseProject(readProject(workspace.path)),
    custom: skills?.text ?? null,
  });
}

/** The same in the home folder of a box. */
export function toldAtHome(
  record: BoxRecord,
  home: string,
  tools: Pick<WorkspaceTools, 'path' | 'brokered'>,
): readonly Entry[] {
  const text = toldIn(record, tools);
  return text === null ? [] : skillEntries(home, text);
}

/** Folders that no box knows of, as sentences. */
export function straySentences(
  interlockHome: string,
  boxes: ReadonlySet<string>,
): readonly string[] {
  return strayWorkspaces(workspaceRoot(interlockHome), boxes).map((path) =>
    displayPlain(`${path} belongs to no box, and may hold work: look at it, then remove it.`),
  );
}
