import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Analysis, Executable, Stage } from '../../shared/analysis/types.ts';

/** A file that a command depends on, and whether its content matters besides its identity. */
export interface BoundFile {
  readonly path: string;
  readonly hashed: boolean;
  /** It is run, not only worked on: a command itself has no reason to change it. */
  readonly runs: boolean;
}

const mostOperands = 64;

/**
 * Every file whose change would change what a command does: programs, interpreters, wrappers, and
 * the operands of programs that may run them as code (`python build.py`).
 */
export function filesOf(analysis: Analysis): readonly BoundFile[] {
  const files = new Map<string, Omit<BoundFile, 'path'>>();
  const add = (path: string, hashed: boolean, runs = true): void => {
    const known = files.get(path);
    files.set(path, {
      hashed: hashed || known?.hashed === true,
      runs: runs || known?.runs === true,
    });
  };
  const addExecutable = (executable: Executable): void => {
    if (executable.kind !== 'file') return;
    const isScript = executable.interpreter !== null;
    add(executable.path, isScript || executable.agentWritable);
    if (executable.interpreter !== null) add(executable.interpreter, false);
  };
  const addStage = (stage: Stage): void => {
    addExecutable(stage.executable);
    for (const wrapper of stage.wrappers) addExecutable(wrapper.executable);
    for (const carried of stage.carries) addStage(carried);
    for (const path of operandsOf(stage)) add(path, true, leadsTo(path, stage.script));
  };
  for (const stage of analysis.ok ? analysis.plan.stages : analysis.stages) addStage(stage);
  return [...files].map(([path, how]) => ({ path, ...how }));
}

function operandsOf(stage: Stage): readonly string[] {
  const { cwd } = stage;
  if (stage.trust.level === 'open' || cwd === null) return [];
  return stage.argv
    .slice(1, 1 + mostOperands)
    .filter((word) => !word.includes('\0'))
    .map((word) => resolve(cwd, word))
    .filter(isFile);
}

function leadsTo(path: string, script: string | null): boolean {
  try {
    return script !== null && realpathSync.native(path) === script;
  } catch {
    return false;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
