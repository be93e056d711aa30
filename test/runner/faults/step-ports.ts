import type { AuditRow } from '../../../runner/audit/rows.ts';
import type { Approver, GatePorts } from '../../../runner/gate/ports.ts';
import type { Host } from '../../../runner/hosts/host.ts';
import type { Bench } from '../gate/support.ts';

/** The steps of the gate, in their order. */
export const steps = [
  'authenticate',
  'admit',
  'route',
  'resolve',
  'analyse',
  'match',
  'ask',
  'fall-back',
  'bind',
  'record',
  'execute',
  'report',
] as const;
export type Step = (typeof steps)[number];

export interface StepPortsOptions {
  /** Where the fault comes, and what it is. It comes once, right before the step does its work. */
  readonly at: Step;
  readonly inject: () => void;
  /** Whether the disk takes no more rows. */
  readonly isFull: () => boolean;
  /** Whether the runner is gone: nothing that it does has an effect any more. */
  readonly isDead: () => boolean;
}

/**
 * Ports that know which step of the gate uses them. Each step is known by the port that only it uses,
 * or by its turn at one that several use.
 */
export function stepPorts(
  { ports, rows }: Bench,
  { at, inject, isFull, isDead }: StepPortsOptions,
) {
  let isDone = false;
  let rests = false;
  let isAnswered = false;
  const step = (name: Step): void => {
    if (rests || isDone || name !== at) return;
    isDone = true;
    inject();
  };
  const host = (real: Host): Host => ({
    ...real,
    run: async (...run) => {
      step('execute');
      return real.run(...run);
    },
  });
  const approver = (real: Approver): Approver => ({
    ask: async (...asking) => {
      const ending = await real.ask(...asking);
      if (ending.kind === 'unreachable') step('fall-back');
      isAnswered = true;
      return ending;
    },
  });
  const write = (row: AuditRow): void => {
    if (row.type === 'decision' && row.decision === 'allow') step('record');
    if (row.type === 'outcome') step('report');
    if (isDead()) return;
    if (isFull()) throw new Error('ENOSPC: no space left on device');
    rows.push(row);
  };
  const audit: GatePorts['audit'] = {
    ...ports.audit,
    append: write,
    durable: async (row) => write(row),
  };
  return {
    visit: {
      step,
      host,
      approver,
      /** For a request before the one that the fault is for. */
      rest: (): void => void (rests = true),
      work: (): void => {
        rests = false;
        isAnswered = false;
      },
    },
    ports: {
      audit,
      callers: {
        ...ports.callers,
        keyState: (agent) => {
          step('authenticate');
          return ports.callers.keyState(agent);
        },
      },
      limits: {
        ...ports.limits,
        enter: (identity) => {
          step('admit');
          return ports.limits.enter(identity);
        },
      },
      policy: {
        ...ports.policy,
        document: () => {
          step('resolve');
          return ports.policy.document();
        },
      },
      engine: {
        ...ports.engine,
        route: (who) => {
          step('route');
          return ports.engine.route(who);
        },
        analyse: async (...asked) => {
          step(isAnswered ? 'bind' : 'analyse');
          return ports.engine.analyse(...asked);
        },
        decide: (situation) => {
          step('match');
          return ports.engine.decide(situation);
        },
      },
    } satisfies Partial<GatePorts>,
  };
}
