import type { StatusBody } from '../../shared/wire/index.ts';
import { mostElevationsTold } from '../../shared/engine/index.ts';
import type { ElevationEntry, RunnerState } from '../../shared/engine/index.ts';
import type { ApproverLink } from '../approvals/link.ts';
import type { PendingAsks } from '../approvals/pending.ts';
import type { DisarmWatch } from '../lockout/disarm-watch.ts';
import type { StopSwitch } from '../lockout/stop-switch.ts';
import type { ConfigStore } from './policy-store.ts';
import type { PolicyStore } from './policy-store.ts';
import type { SessionOverrides } from '../gate/overrides.ts';
import type { InFlight } from '../gate/in-flight.ts';

/** The parts whose state is told. */
export interface StatusParts {
  readonly version: string;
  readonly startedAt: number;
  readonly approvalsSocket: string;
  readonly stops: StopSwitch;
  readonly arming: Pick<DisarmWatch, 'disarmed'>;
  readonly policy: PolicyStore;
  readonly config: ConfigStore;
  readonly link: ApproverLink;
  readonly pending: PendingAsks;
  readonly inFlight: InFlight;
  readonly overrides: Pick<SessionOverrides, 'elevations'>;
}

/** The answer of `GET /v1/status`. */
export function statusBody(parts: StatusParts): StatusBody {
  const { version, startedAt, stops, policy, link, pending, inFlight } = parts;
  const { mode, reason } = stops.state();
  const problem = problemOf(parts);
  return {
    ok: true,
    version,
    pid: process.pid,
    startedAt,
    mode,
    reason,
    approver: { connected: link.session() !== null, socket: parts.approvalsSocket },
    policy: { valid: problem === null, problem, hash: policy.current().hash },
    elevated: elevatedOf(parts),
    running: inFlight.running(),
    pending: pending.list().map(({ ask: { id, agent, command, expiresAt } }) => ({
      askId: id,
      agent,
      command,
      expiresAt,
    })),
  };
}

function elevatedOf({ overrides }: Pick<StatusParts, 'overrides'>): readonly ElevationEntry[] {
  return overrides.elevations().map(({ values: _values, ...entry }) => entry);
}

/** What the approver is told of the runner. */
export function runnerState(parts: StatusParts): RunnerState {
  const elevated = elevatedOf(parts).slice(-mostElevationsTold);
  return {
    ...parts.stops.state(),
    running: parts.inFlight.running().length,
    pending: parts.pending.list().length,
    policyProblem: problemOf(parts) ?? disarmedOf(parts),
    // An approver of an earlier version knows no such field.
    ...(elevated.length > 0 && { elevated }),
  };
}

/** The one sentence beside the policy's that every approver shows in red. */
function disarmedOf({ arming }: Pick<StatusParts, 'arming'>): string | null {
  const [first] = arming.disarmed();
  return first === undefined
    ? null
    : `The agent "${first.agent}" is stopped: in ${first.folder} its hooks no longer ask. ${first.reason}`;
}

function problemOf({ policy, config }: Pick<StatusParts, 'policy' | 'config'>): string | null {
  const file = policy.current();
  return file.ok ? (config.problem()?.message ?? null) : file.problem.message;
}
