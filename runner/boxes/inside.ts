import { chownSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { clientPath } from '../../shared/agents/index.ts';
import {
  agentOfBox,
  egressFor,
  sandboxOfTemplate,
  serviceEnvironment,
  withBoxes,
} from '../../shared/engine/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import { baseEnvironment, openToolPolicies } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { bundlePath, proxyVariables, trustVariables } from '../egress/trust.ts';
import type { Entry } from '../hosts/sandbox/message.ts';
import { ownerOf } from '../hosts/sandbox/root-files.ts';
import { toolEntries, toolFolder } from '../ingress/tool-entries.ts';
import { packageRoot } from '../version.ts';
import { proxyPort } from './build.ts';
import type { BoxRecord, BoxRecords } from './record.ts';

/** What programs in a box find: their variables, and the door by which they ask for this machine. */

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables of what runs in a box. `env` is the person's own. */
export function boxEnvironment(
  record: BoxRecord,
  env: Variables,
  config: Config,
): Readonly<Record<string, string>> {
  const base = baseEnvironment(env);
  const owner = ownerOf(statSync(record.workspace.path).uid);
  const { environment } = sandboxOfTemplate(config, record.template);
  return {
    ...base,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    ...environment,
    PATH: `${toolFolder}:${environment['PATH'] ?? base['PATH'] ?? ''}`,
    ...(record.network === 'restricted' && {
      ...proxyVariables(proxyPort),
      ...serviceEnvironment(servicesOf(record, config), proxyPort),
    }),
    ...(record.network !== 'full' && trustVariables(bundlePath)),
    ...(owner !== null && { HOME: owner.home, USER: owner.name, LOGNAME: owner.name }),
    TMPDIR: '/tmp',
  };
}

/** APIs whose keys the proxy adds: in the box there is their address and no key. */
function servicesOf(record: BoxRecord, config: Config) {
  const all = withBoxes(config, new Map([[record.name, record]]));
  return egressFor(all, agentOfBox(record.name)).services;
}

/**
 * The door of a box, as places in it: `interlock`, and the tools that are brokered when it begins. Its
 * folder is made here, and the runner puts its socket into it whenever there is one; so a runner that
 * starts again is found by what runs. There is no door where the native client was not built.
 *
 * @param uid whose the programs of the box are
 */
export async function doorEntries(
  name: string,
  uid: number,
  {
    records,
    paths,
    env,
    uid: own,
  }: {
    readonly records: Pick<BoxRecords, 'doorOf'>;
    readonly paths: Pick<HomePaths, 'toolsDirectory'>;
    readonly env: Variables;
    readonly uid: number;
  },
): Promise<readonly Entry[]> {
  const client = join(packageRoot(), clientPath);
  if (!existsSync(client)) return [];
  const folder = records.doorOf(name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (uid !== own) chownSync(folder, uid, -1);
  const path = (baseEnvironment(env)['PATH'] ?? '').split(':');
  const policies = await openToolPolicies(paths.toolsDirectory, own, path).look();
  return toolEntries(policies, {
    client: realpathSync(client),
    path,
    door: { source: realpathSync(folder), name: 'gate' },
    always: ['interlock'],
  });
}
