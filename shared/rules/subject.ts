import type { Executable, Stage } from '../analysis/types.ts';
import type { Words } from './args.ts';

/** What a deny or ask rule is held against: a stage, one of its wrappers, or something it carries. */
export interface Subject {
  readonly executable: Executable;
  /** The file of code that an interpreter is told to run. */
  readonly script: string | null;
  readonly words: Words;
  readonly cwd: string | null;
  readonly writes: readonly string[];
}

/** The words after the name of a stage. */
export function wordsOf(stage: Pick<Stage, 'argv' | 'globs'>): Words {
  const open = stage.globs.length === 0 ? none : new Set(stage.globs.map((index) => index - 1));
  return { values: stage.argv.slice(1), open };
}

const none: ReadonlySet<number> = new Set();

/** The stage itself, each wrapper around it, and everything it carries, however deep. */
export function subjectsOf(stage: Stage): readonly Subject[] {
  const subjects: Subject[] = [{ ...stage, words: wordsOf(stage) }];
  for (const wrapper of stage.wrappers) {
    const words = { values: wrapper.argv.slice(1), open: none };
    subjects.push({
      executable: wrapper.executable,
      script: null,
      words,
      cwd: stage.cwd,
      writes: [],
    });
  }
  for (const carried of stage.carries) subjects.push(...subjectsOf(carried));
  return subjects;
}

/** Last segment of a path, or the name itself. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Every path by which the program of a subject may be meant. */
export function pathsOf(executable: Executable): readonly string[] {
  if (executable.kind === 'tool') return [executable.target];
  if (executable.kind !== 'file') return executable.name.includes('/') ? [executable.name] : [];
  const { path, realPath, interpreter } = executable;
  return interpreter === null ? [realPath, path] : [realPath, path, interpreter];
}

/** Every name by which the program of a subject may be meant. */
export function namesOf(executable: Executable): readonly string[] {
  return [...new Set([baseName(executable.name), ...pathsOf(executable).map(baseName)])];
}
