import { once } from '../../base/index.ts';
import { allPrograms } from './records/all.ts';
import type { ProgramRecord } from './types.ts';

interface Known {
  readonly programs: readonly ProgramRecord[];
  readonly byName: ReadonlyMap<string, ProgramRecord>;
  /** Names, in lower case, of what takes code or commands from its arguments. */
  readonly withCode: ReadonlySet<string>;
}

/** Made at the first question: most of Interlock's own commands never ask one. */
const known = once((): Known => {
  const programs = allPrograms();
  return {
    programs,
    byName: new Map(
      programs.flatMap((record) => record.names.map((name) => [name, record] as const)),
    ),
    withCode: new Set([
      // Built in into shells, not a program.
      'eval',
      ...programs
        .filter((record) => record.runs === 'code' || record.takesCode === true)
        .flatMap((record) => record.names.map((name) => name.toLowerCase())),
    ]),
  };
});

/** The records of all programs. The first call makes them, which whoever waits for an answer would feel. */
export function everyRecord(): readonly ProgramRecord[] {
  return known().programs;
}

/** Compilers for other machines: `x86_64-linux-gnu-gcc-13`. */
const machine =
  /^[a-z0-9_]+(?:-[a-z0-9_]+){1,3}-(?=(?:gcc|g\+\+|cc|c\+\+|cpp|gfortran|clang(?:\+\+)?|ld(?:\.\w+)?|as|ar|nm|strip|ranlib|size|objcopy|objdump|readelf|addr2line|c\+\+filt|gcov|strings)(?:-|$))/;

/** The record of a program by its base name, also of one of its versions (`ruby3.2`), or null. */
export function recordOf(name: string): ProgramRecord | null {
  const { byName } = known();
  const own = byName.get(name);
  if (own !== undefined) return own;
  const family = name.replace(machine, '').replace(/-?[0-9][0-9.]*m?$/, '');
  const record = byName.get(family);
  return record !== undefined && (record.versions === true || machine.test(name)) ? record : null;
}

/** The record that bears this very name, without regard to versions, or null. */
export function recordNamed(name: string): ProgramRecord | null {
  return known().byName.get(name) ?? null;
}

/**
 * Whether a word names a program that takes code or commands from its arguments: names must not
 * become part of them. In doubt it does, so case and versions do not count.
 */
export function takesCode(word: string): boolean {
  const { withCode } = known();
  const name = word.slice(word.lastIndexOf('/') + 1).toLowerCase();
  return withCode.has(name) || withCode.has(name.replace(/[\d.]+$/, ''));
}
