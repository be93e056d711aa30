import { readArguments } from '../../programs/read.ts';
import { recordOf } from '../../programs/list.ts';
import type { Argument, Effect } from '../../programs/types.ts';
import { baseName } from '../../rules/matching.ts';
import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { absolute, isTemporary, isUnknown } from '../paths.ts';
import type { RiskSubject } from '../subject.ts';

/** Folders that a build or an installation makes again. */
const remade =
  /\/(?:node_modules|dist|build|out|target|coverage|tmp|\.cache|\.next|\.nuxt|\.turbo|\.parcel-cache|\.vite|\.nyc_output|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.gradle|__pycache__|\.venv|venv|[^/]+\.egg-info)(?:\/|$)/;

/** Whether all that a program deletes lies in folders that a build or an installation makes again. */
export function deletesOnlyRemade(subject: RiskSubject, workspace: string): boolean {
  const effects = subject.reading?.effects ?? [];
  const paths = effects.filter((effect) => effect.kind === 'path');
  const roots = paths.filter(({ use, tree }) => use === 'reads' && tree === true);
  const hands = effects.some((one) => one.kind === 'command' && deletesItsInput(one.words));
  const gone = paths.filter(({ use }) => use === 'deletes');
  const moves = paths.some(({ use }) => use === 'writes' || use === 'into');
  const all = [...(moves ? [] : gone), ...(hands ? roots : [])];
  if (hands && roots.length === 0) return false;
  return all.every(
    ({ path }) => !isUnknown(path) && isRemadeIn(workspace, absolute(path, subject)),
  );
}

function isRemadeIn(workspace: string, path: string): boolean {
  return path.startsWith(`${workspace}/`) && remade.test(path.slice(workspace.length));
}

type PathEffect = Extract<Effect, { kind: 'path' }>;

/** Trees and folders of files that are gone afterwards: what is only moved is written elsewhere. */
export const checkDelete: RiskCheck = (subject) => {
  const { reading } = subject;
  if (reading === null) return [];
  const paths = reading.effects.filter((effect) => effect.kind === 'path');
  const moves = paths.some(({ use }) => /^(?:writes|edits|into)$/.test(use));
  const gone = moves ? [] : paths.filter(({ use }) => use === 'deletes');
  return [
    ...gone.flatMap((one) => (one.tree === true ? [treeOf(one, subject)] : filesOf(one, subject))),
    ...reading.effects.flatMap((effect) => forEach(effect, paths, subject)),
  ];
};

/** `rm -f *` deletes no folder, and every file of one. */
function filesOf({ path: target, live }: PathEffect, subject: RiskSubject) {
  if (live !== true || !/(?:^|\/)(?:\*+|\.\*|\?\*)$/.test(target)) return [];
  const path = absolute(target.replace(/[^/]*$/, '') || '.', subject);
  const level = isReplaceable(path, subject) ? 'low' : 'high';
  return [finding('recursive-delete', level, `Deletes every file in ${path}.`, [target])];
}

function treeOf({ path: target, some }: PathEffect, subject: RiskSubject): RoughFinding {
  if (isUnknown(target)) {
    const text = `Deletes whatever ${target} stands for, with everything below.`;
    return finding('recursive-delete', 'high', text, [target]);
  }
  const path = absolute(target, subject);
  const what = some === true ? 'files that match' : 'everything';
  const mild = some === true ? isInside(path, subject) : isReplaceable(path, subject);
  const text = `Deletes ${what} below ${path}.`;
  return finding('recursive-delete', mild ? 'low' : 'high', text, [target]);
}

function isReplaceable(path: string, { cwd, home }: RiskSubject): boolean {
  if (path === '/' || path === home || path === cwd) return false;
  if (isTemporary(path)) return true;
  return cwd !== null && path.startsWith(`${cwd}/`) && remade.test(path.slice(cwd.length));
}

function isInside(path: string, { cwd }: RiskSubject): boolean {
  return isTemporary(path) || (cwd !== null && (path === cwd || path.startsWith(`${cwd}/`)));
}

/** A command for each file that is found or handed over, and that deletes it. */
function forEach(
  effect: Effect,
  paths: readonly PathEffect[],
  subject: RiskSubject,
): readonly RoughFinding[] {
  if (effect.kind !== 'command' || !deletesItsInput(effect.words)) return [];
  const roots = paths.filter(({ use, tree }) => use === 'reads' && tree === true);
  if (roots.length === 0)
    return [finding('recursive-delete', 'low', 'Deletes each file that its input names.')];
  const some = effect.some === true ? ({ some: true } as const) : {};
  return roots.map((root) => treeOf({ ...root, ...some }, subject));
}

/** What the command does to a file whose name stands for `{}`, or behind its words. */
function deletesItsInput([program, ...words]: readonly Argument[]): boolean {
  const record = program === undefined ? null : recordOf(baseName(program.text));
  if (record === null) return false;
  const file = { text: './file', live: null };
  const args = words.map((word) => (word.text === '{}' ? file : word));
  const { effects } = readArguments(record, args.includes(file) ? args : [...args, file]);
  const used = effects.flatMap((one) =>
    one.kind === 'path' && one.path === file.text ? one.use : [],
  );
  return used.includes('deletes') && !used.includes('writes') && !used.includes('into');
}
