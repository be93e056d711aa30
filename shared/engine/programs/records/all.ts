import { archivePrograms } from './archives.ts';
import { awkPrograms } from './awk.ts';
import { compiledPrograms } from './builders/compiled.ts';
import { makePrograms } from './builders/make.ts';
import { databasePrograms } from './databases.ts';
import { dockerPrograms } from './containers/docker.ts';
import { curlPrograms } from './curl.ts';
import { fdPrograms } from './fd.ts';
import { copyPrograms } from './copies.ts';
import { filePrograms } from './files.ts';
import { findPrograms } from './find.ts';
import { gitPrograms } from './git/record.ts';
import { helmPrograms } from './containers/helm.ts';
import { kubectlPrograms } from './containers/kubectl.ts';
import { githubPrograms } from './hosting/github.ts';
import { gitlabPrograms } from './hosting/gitlab.ts';
import { inspectors } from './inspectors.ts';
import { interpreterPrograms } from './interpreters.ts';
import { buildPrograms } from './lookers/builds.ts';
import { checkingPrograms } from './lookers/checks.ts';
import { devicePrograms } from './lookers/devices.ts';
import { machineLookerPrograms } from './lookers/machine.ts';
import { shownFilePrograms } from './lookers/shown-files.ts';
import { shownPrograms } from './lookers/shown.ts';
import { jqPrograms } from './jq.ts';
import { nodePrograms } from './node/node.ts';
import { nodeToolPrograms } from './node/tools.ts';
import { npmPrograms } from './node/npm.ts';
import { runtimePrograms } from './node/bun.ts';
import { nodePackagePrograms } from './node/others.ts';
import { pythonPackagePrograms } from './python/packages.ts';
import { pythonModulePrograms } from './python/modules.ts';
import { pythonPrograms } from './python/python.ts';
import { pythonToolPrograms } from './python/tools.ts';
import { readingPrograms } from './readers.ts';
import { remotePrograms } from './remote.ts';
import { runnerPrograms } from './runners.ts';
import { searchPrograms } from './search.ts';
import { sedPrograms } from './sed.ts';
import { servicePrograms } from './services.ts';
import { changerPrograms } from './changers.ts';
import { differencePrograms } from './diffs.ts';
import { machinePrograms } from './machine.ts';
import { packagePrograms } from './packages.ts';
import { viewerPrograms } from './viewers.ts';
import { networkPrograms } from './network.ts';
import { shellPrograms } from './shells.ts';
import { systemPrograms } from './system.ts';
import { tarPrograms } from './tar.ts';
import { textPrograms } from './text.ts';
import { watchedPrograms } from './watched.ts';
import { wrapperPrograms } from './wrappers.ts';
import { xargsPrograms } from './xargs.ts';
import type { ProgramRecord } from '../types.ts';

/**
 * Every program that Interlock knows. A new file of records is one more line here. `list.ts` alone asks,
 * once: making all of them takes as long as an empty Node takes to start.
 */
export function allPrograms(): readonly ProgramRecord[] {
  return [
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
}
