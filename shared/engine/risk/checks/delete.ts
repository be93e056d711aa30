import { readArguments } from '../../programs/read.ts';
import { writtenPath } from '../../programs/effects.ts';
import { recordOf } from '../../programs/list.ts';
import type { Argument, Effect } from '../../programs/types.ts';
import { baseName } from '../../rules/matching.ts';
import { isBelow } from '../../plan/paths.ts';
import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { absolute, isTemporary, isUnknown } from '../paths.ts';
import type { RiskSubject } from '../subject.ts';

/** Folders that a build or an installation makes again. */
const remade =
  /\/(?:node_modules|dist|build|out|target|coverage|htmlcov|tmp|\.cache|\.next|\.nuxt|\.output|\.svelte-kit|\.astro|\.angular|\.expo|\.turbo|\.parcel-cache|\.vite|\.nyc_output|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.tox|\.nox|\.eggs|\.ipynb_checkpoints|\.gradle|\.dart_tool|\.build|_build|cmake-build-\w+|zig-out|\.?zig-cache|DerivedData|test-results|TestResults|playwright-report|storybook-static|__pycache__|\.venv|venv|[^/]+\.egg-info)(?:\/|$)/;

/** Files that a compiler or a run leaves behind, by the ends of their names. */
const leftBehind =
  /(?:^|\/)(?:[^/]+\.(?:py[co]|o|obj|gcda|gcno|gcov|profraw|tsbuildinfo)|\.DS_Store|\.coverage)$/;

/** What is gone afterwards: what is only moved is written elsewhere, and there for longer than a while. */
function goneOf(subject: RiskSubject, workspace: string): readonly PathEffect[] {
  const paths = (subject.reading?.effects ?? []).filter((effect) => effect.kind === 'path');
  const places = paths
    .filter(({ use }) => use === 'writes' || use === 'into')
    .map((one) => absolute(writtenPath(one), subject))
    .map((path) => isTemporary(path) && !isBelow(path, workspace));
  return places.length > 0 && !places.includes(true)
    ? []
    : paths.filter(({ use }) => use === 'deletes');
}

/** Whether all that a program deletes is what a build, an installation or a run makes again. */
export function deletesOnlyRemade(subject: RiskSubject, workspace: string): boolean {
  const effects = subject.reading?.effects ?? [];
  const paths = effects.filter((effect) => effect.kind === 'path');
  const roots = paths.filter(({ use, tree }) => use === 'reads' && tree === true);
  const hands = effects.some((one) => one.kind === 'command' && deletesItsInput(one.words));
  if (hands && roots.length === 0) return false;
  const all = [...goneOf(subject, workspace), ...(hands ? roots : [])];
  const isFound = findsLeftBehind(subject);
  return all.every(({ path }) => {
    if (isUnknown(path)) return false;
    const whole = absolute(path, subject);
    const isOwn = isBelow(whole, workspace);
    // The sandbox has a /tmp of its own; a project that lies there is the person's all the same.
    if (isTemporary(whole) && !isOwn && !isBelow(workspace, whole)) return true;
    return isRemadeIn(workspace, whole) || (isFound && isOwn);
  });
}

function isRemadeIn(workspace: string, path: string): boolean {
  if (!path.startsWith(`${workspace}/`)) return false;
  const inside = path.slice(workspace.length);
  return remade.test(inside) || leftBehind.test(inside);
}

/** `find` by a name that all of what it finds bears, and that only what is made again has. */
function findsLeftBehind({ name, args }: RiskSubject): boolean {
  if (!/^g?find$/.test(name) || args.some((word) => /^(?:-o|-or|!|-not|,|\(|\))$/.test(word)))
    return false;
  const acts = args.findIndex((word) => /^-(?:delete|exec|ok)/.test(word));
  return args.slice(0, Math.max(acts, 0)).some((word, at) => {
    const wanted = args[at + 1] ?? '';
    const isKnown = remade.test(`/${wanted}`) || leftBehind.test(wanted);
    return word === '-name' && isKnown && !/^\.?\*$/.test(wanted);
  });
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
