import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { agentOfBox, boxOfAgent, resolvePolicy, rulesOf } from '../../shared/engine/index.ts';
import { watchFile } from '../../shared/home/index.ts';
import type { FolderTrees } from '../../shared/home/index.ts';
import type { PendingAsks } from '../approvals/pending.ts';
import { attendBoxes } from '../boxes/attend.ts';
import type { BoxAttendant } from '../boxes/attend.ts';
import { boxRuntime } from '../boxes/kept.ts';
import type { BoxLocks } from '../boxes/locks.ts';
import { boxLocks } from '../boxes/locks.ts';
import { openBoxRecords } from '../boxes/record.ts';
import { createEgress } from '../egress/service.ts';
import type { Egress, EgressOptions } from '../egress/service.ts';
import type { GatePorts } from '../gate/ports.ts';
import { launcherPath } from '../hosts/sandbox/launch.ts';
import { createBoxDoors } from '../ingress/box-door.ts';
import type { BoxDoorsOptions } from '../ingress/box-door.ts';
import { packageRoot } from '../version.ts';
import type { ConfigStore, PartsOptions } from './parts.ts';
import { saveRules } from './policy-edits.ts';
import type { RuleUsage, SaveRulesOptions } from './policy-edits.ts';

/** The filtered way out of sandboxes, with all that may change what it lets through. */
export function networkOf(
  options: PartsOptions,
  {
    config,
    approver,
    grants,
    stops,
    arming,
    pending,
    workspaceOf,
    folders,
    file,
    usage,
    gate,
    path,
    principals,
  }: Pick<GatePorts, 'approver' | 'grants' | 'stops' | 'arming'> &
    Pick<EgressOptions, 'workspaceOf'> & {
      readonly config: Pick<ConfigStore, 'current'>;
      readonly folders: FolderTrees;
      readonly pending: Pick<PendingAsks, 'list' | 'end' | 'onChange'>;
      readonly file: SaveRulesOptions;
      readonly usage: RuleUsage;
    } & Pick<BoxDoorsOptions, 'gate' | 'path' | 'principals'>,
): Egress {
  const { paths, env, uid, clock, log, audit, namedSecrets, closing } = options;
  let attendant: BoxAttendant | null = null;
  const egress = createEgress({
    clock,
    uid,
    newId: randomUUID,
    approver,
    grants,
    config: () => attendant?.withBoxes(config.current()) ?? config.current(),
    rules: (agent) => rulesOf(file.store.document(), agent),
    presence: (agent) => resolvePolicy(file.store.document(), { agent }).presence?.none ?? null,
    approvers: (agent) => resolvePolicy(file.store.document(), { agent }).approvers?.none ?? 1,
    used: (ruleId, command) => usage.used({ ruleId, at: clock.now(), command, resolvedPath: null }),
    save: async (agent, rules) => {
      await saveRules(file, agent, rules);
      // Read at once, so that whatever waits for it does not wait for the watch.
      file.store.current();
    },
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
  attendant = attendantOf(options, { egress, gate, grants, path, principals, pending });
  const look = (): void => egress.recheck();
  stops.onChange(look);
  file.store.onChange(look);
  closing.add('the watch of the settings', watchFile(paths.config, { look, clock }));
  return egress;
}

/** What named boxes get of this runner: their way out, their door, and the end of what waits once one is locked. */
function attendantOf(
  { paths, uid, clock, log, closing }: PartsOptions,
  {
    egress,
    gate,
    grants,
    path,
    principals,
    pending,
  }: Pick<BoxDoorsOptions, 'gate' | 'path' | 'principals'> & {
    readonly egress: Egress;
    readonly grants: Pick<GatePorts['grants'], 'list' | 'end'>;
    readonly pending: Pick<PendingAsks, 'list' | 'end' | 'onChange'>;
  },
): BoxAttendant {
  const doors = createBoxDoors({
    policies: paths.toolsDirectory,
    uid,
    path,
    gate,
    principals,
    log,
  });
  closing.add('the doors of named boxes', doors);
  const records = openBoxRecords(paths.boxesDirectory, uid);
  const locks = boxLocks(records, uid);
  const attendant = attendBoxes({
    directory: paths.boxesDirectory,
    uid,
    clock,
    runtime: boxRuntime(records, { launcher: launcherPath(packageRoot()), uid }),
    open: async (task) => egress.open(task),
    door: doors.open,
    warn: (text) => log.warn(text),
    changed: () => egress.recheck(),
    looked: endingLocked(pending, locks),
    fresh: (name, since) => endGrants(grants, agentOfBox(name), since),
  });
  closing.add('the named boxes', attendant);
  return attendant;
}

/** Ends what waits in the name of boxes that are locked: by itself, and whenever it is called. */
function endingLocked(
  pending: Pick<PendingAsks, 'list' | 'end' | 'onChange'>,
  locks: Pick<BoxLocks, 'of'>,
): () => void {
  const end = (): void => {
    for (const { ask } of pending.list()) {
      const box = boxOfAgent(ask.agent);
      if (box !== null && locks.of(box) !== null)
        pending.end(ask.id, { kind: 'stopped', reason: 'box-lockout' });
    }
  };
  // One that was on its way when the lock came is put after it.
  pending.onChange(end);
  return end;
}

/** Ends what was granted to an agent before a moment; all of it where that is null. */
function endGrants(
  grants: Pick<GatePorts['grants'], 'list' | 'end'>,
  agent: string,
  since: number | null,
): void {
  for (const { id, grant } of grants.list())
    if (grant.agent === agent && (since === null || grant.grantedAt < since)) grants.end(id);
}
