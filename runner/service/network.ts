import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { watchFile } from '../../shared/home/index.ts';
import type { FolderTrees } from '../../shared/home/index.ts';
import { createEgress } from '../egress/service.ts';
import type { Egress, EgressOptions } from '../egress/service.ts';
import type { GatePorts } from '../gate/ports.ts';
import type { ConfigStore, PartsOptions } from './parts.ts';

/** The filtered way out of sandboxes, with all that may change what it lets through. */
export function networkOf(
  { paths, env, uid, clock, log, audit, namedSecrets, closing }: PartsOptions,
  {
    config,
    approver,
    grants,
    stops,
    arming,
    workspaceOf,
    folders,
  }: Pick<GatePorts, 'approver' | 'grants' | 'stops' | 'arming'> &
    Pick<EgressOptions, 'workspaceOf'> & {
      readonly config: Pick<ConfigStore, 'current'>;
      readonly folders: FolderTrees;
    },
): Egress {
  const egress = createEgress({
    clock,
    uid,
    newId: randomUUID,
    approver,
    grants,
    config: () => config.current(),
    admit: (agent) => {
      stops.check();
      arming.check(agent);
    },
    audit,
    log,
    secrets: namedSecrets,
    authority: paths.egressAuthority,
    env,
    masked: join(paths.stateDirectory, 'masked'),
    workspaceOf,
    trees: folders,
  });
  closing.add('the proxy', egress);
  const look = (): void => egress.recheck();
  stops.onChange(look);
  closing.add('the watch of the settings', watchFile(paths.config, { look, clock }));
  return egress;
}
