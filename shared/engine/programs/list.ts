import { archivePrograms } from './records/archives.ts';
import { awkPrograms } from './records/awk.ts';
import { compiledPrograms } from './records/builders/compiled.ts';
import { makePrograms } from './records/builders/make.ts';
import { databasePrograms } from './records/databases.ts';
import { dockerPrograms } from './records/containers/docker.ts';
import { curlPrograms } from './records/curl.ts';
import { fdPrograms } from './records/fd.ts';
import { copyPrograms } from './records/copies.ts';
import { filePrograms } from './records/files.ts';
import { findPrograms } from './records/find.ts';
import { gitPrograms } from './records/git/record.ts';
import { helmPrograms } from './records/containers/helm.ts';
import { kubectlPrograms } from './records/containers/kubectl.ts';
import { githubPrograms } from './records/hosting/github.ts';
import { gitlabPrograms } from './records/hosting/gitlab.ts';
import { inspectors } from './records/inspectors.ts';
import { interpreterPrograms } from './records/interpreters.ts';
import { buildPrograms } from './records/lookers/builds.ts';
import { checkingPrograms } from './records/lookers/checks.ts';
import { devicePrograms } from './records/lookers/devices.ts';
import { machineLookerPrograms } from './records/lookers/machine.ts';
import { shownFilePrograms } from './records/lookers/shown-files.ts';
import { shownPrograms } from './records/lookers/shown.ts';
import { jqPrograms } from './records/jq.ts';
import { nodePrograms } from './records/node/node.ts';
import { nodeToolPrograms } from './records/node/tools.ts';
import { npmPrograms } from './records/node/npm.ts';
import { runtimePrograms } from './records/node/bun.ts';
import { nodePackagePrograms } from './records/node/others.ts';
import { pythonPackagePrograms } from './records/python/packages.ts';
import { pythonModulePrograms } from './records/python/modules.ts';
import { pythonPrograms } from './records/python/python.ts';
import { pythonToolPrograms } from './records/python/tools.ts';
import { readingPrograms } from './records/readers.ts';
import { remotePrograms } from './records/remote.ts';
import { runnerPrograms } from './records/runners.ts';
import { searchPrograms } from './records/search.ts';
import { sedPrograms } from './records/sed.ts';
import { servicePrograms } from './records/services.ts';
import { changerPrograms } from './records/changers.ts';
import { differencePrograms } from './records/diffs.ts';
import { machinePrograms } from './records/machine.ts';
import { packagePrograms } from './records/packages.ts';
import { viewerPrograms } from './records/viewers.ts';
import { networkPrograms } from './records/network.ts';
import { shellPrograms } from './records/shells.ts';
import { systemPrograms } from './records/system.ts';
import { tarPrograms } from './records/tar.ts';
import { textPrograms } from './records/text.ts';
import { watchedPrograms } from './records/watched.ts';
import { wrapperPrograms } from './records/wrappers.ts';
import { xargsPrograms } from './records/xargs.ts';
import type { ProgramRecord } from './types.ts';

/** Every program that Interlock knows. A new file of records is one more line here. */
export const programs: readonly ProgramRecord[] = [
  ...textPrograms,
  ...filePrograms,
  ...copyPrograms,
  ...searchPrograms,
  ...findPrograms,
  ...fdPrograms,
  ...sedPrograms,
  ...tarPrograms,
  ...xargsPrograms,
  ...curlPrograms,
  ...gitPrograms,
  ...awkPrograms,
  ...jqPrograms,
  ...dockerPrograms,
  ...kubectlPrograms,
  ...helmPrograms,
  ...githubPrograms,
  ...gitlabPrograms,
  ...npmPrograms,
  ...nodePackagePrograms,
  ...runtimePrograms,
  ...nodePrograms,
  ...nodeToolPrograms,
  ...pythonPrograms,
  ...pythonPackagePrograms,
  ...pythonToolPrograms,
  ...pythonModulePrograms,
  ...makePrograms,
  ...archivePrograms,
  ...remotePrograms,
  ...networkPrograms,
  ...databasePrograms,
  ...readingPrograms,
  ...wrapperPrograms,
  ...shellPrograms,
  ...interpreterPrograms,
  ...inspectors,
  ...devicePrograms,
  ...checkingPrograms,
  ...buildPrograms,
  ...machineLookerPrograms,
  ...shownPrograms,
  ...shownFilePrograms,
  ...servicePrograms,
  ...changerPrograms,
  ...differencePrograms,
  ...machinePrograms,
  ...packagePrograms,
  ...viewerPrograms,
  ...runnerPrograms,
  ...systemPrograms,
  ...compiledPrograms,
  ...watchedPrograms,
];

const byName: ReadonlyMap<string, ProgramRecord> = new Map(
  programs.flatMap((record) => record.names.map((name) => [name, record] as const)),
);

/** Compilers for other machines: `x86_64-linux-gnu-gcc-13`. */
const machine =
  /^[a-z0-9_]+(?:-[a-z0-9_]+){1,3}-(?=(?:gcc|g\+\+|cc|c\+\+|cpp|gfortran|clang(?:\+\+)?|ld(?:\.\w+)?|as|ar|nm|strip|ranlib|size|objcopy|objdump|readelf|addr2line|c\+\+filt|gcov|strings)(?:-|$))/;

/** The record of a program by its base name, also of one of its versions (`ruby3.2`), or null. */
export function recordOf(name: string): ProgramRecord | null {
  const own = byName.get(name);
  if (own !== undefined) return own;
  const family = name.replace(machine, '').replace(/-?[0-9][0-9.]*m?$/, '');
  const record = byName.get(family);
  return record !== undefined && (record.versions === true || machine.test(name)) ? record : null;
}

/** The record that bears this very name, without regard to versions, or null. */
export function recordNamed(name: string): ProgramRecord | null {
  return byName.get(name) ?? null;
}

/** Built in into shells, not a program. */
const codeBuiltins = ['eval'];

const withCode: ReadonlySet<string> = new Set([
  ...codeBuiltins,
  ...programs
    .filter((record) => record.runs === 'code' || record.takesCode === true)
    .flatMap((record) => record.names.map((name) => name.toLowerCase())),
]);

/**
 * Whether a word names a program that takes code or commands from its arguments: names must not
 * become part of them. In doubt it does, so case and versions do not count.
 */
export function takesCode(word: string): boolean {
  const name = word.slice(word.lastIndexOf('/') + 1).toLowerCase();
  return withCode.has(name) || withCode.has(name.replace(/[\d.]+$/, ''));
}
