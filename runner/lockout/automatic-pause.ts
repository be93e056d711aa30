import { refuse } from '../../shared/base/index.ts';
import type { Clock, RefusalCode } from '../../shared/base/index.ts';
import type { AncestorProcess, Config } from '../../shared/engine/index.ts';
import type { Gate } from '../gate/gate.ts';
import { unnamedAgent } from '../gate/authenticate.ts';
import type { GateResult, Incoming, PermitResult } from '../gate/request-context.ts';
import type { Log } from '../service/log.ts';
import type { StopSwitch } from './stop-switch.ts';

interface AutomaticPauseOptions {
  readonly clock: Clock;
  readonly config: () => Pick<Config, 'lockout'>;
  readonly stops: Pick<StopSwitch, 'state' | 'pause' | 'onChange'>;
  /** The process and those above it, up to a terminal or an app. */
  readonly ancestry: (pid: number) => Promise<readonly AncestorProcess[]>;
  /** Whether a command runs at this moment. */
  readonly isRunning: () => boolean;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

export interface AutomaticPause {
  /** The gate, with an eye on how its requests end. */
  watch(gate: Gate): Gate;
  /**
   * Throws `confirm-rejected` where a process would end the pause that refusals of its own, or of a
   * process that it belongs to, have caused. Null for a process that the system does not tell.
   */
  requireNotItsCause(pid: number | null): Promise<void>;
  dispose(): void;
}

/** Refusals that say "later" or "not you": no sign of an agent that goes round in circles. */
const noSign: ReadonlySet<RefusalCode> = new Set([
  'lockout-active',
  'pause-active',
  'rate-limit',
  'concurrency-busy',
  'hmac-fail',
  'replay-detected',
  'host-unavailable',
  'audit-unavailable',
  'command-timeout',
  'stale-on-recovery',
  'requester-gone',
  'gate-disarmed',
] satisfies RefusalCode[]);

const tickMs = 5_000;
const mostAgents = 1_000;

/**
 * Pauses by itself when no command has run for a while, or when one agent is refused again and
 * again. Quiet time is counted in ticks, so that a clock that is set changes nothing.
 */
export function createAutomaticPause(options: AutomaticPauseOptions): AutomaticPause {
  const { clock, stops, isRunning, log } = options;
  const inARow = new Map<string, number>();
  /** The processes whose refusals led to the pause that holds. */
  let causes: Promise<ReadonlySet<number>> | null = null;
  let quietMs = 0;
  let cancel: () => void;
  const pause = (reason: string): void => {
    if (stops.state().mode !== 'armed') return;
    try {
      stops.pause(reason, 'automatic');
      log.warn(`Paused by itself: ${reason}`);
    } catch (error) {
      log.error('The automatic pause could not be written', error);
    }
  };
  const tick = (): void => {
    cancel = clock.after(tickMs, tick);
    quietMs = isRunning() || stops.state().mode !== 'armed' ? 0 : quietMs + tickMs;
    const { pauseAfterIdleMs = null } = settingsOf(options);
    if (pauseAfterIdleMs === null || quietMs < pauseAfterIdleMs) return;
    pause(`No command has run for ${sayMinutes(pauseAfterIdleMs)}`);
  };
  const refused = (agent: string, pid: number | null): void => {
    const { pauseAfterRefusals = null } = settingsOf(options);
    if (pauseAfterRefusals === null) return;
    const count = (inARow.get(agent) ?? 0) + 1;
    if (inARow.size >= mostAgents) inARow.clear();
    inARow.set(agent, count);
    if (count < pauseAfterRefusals) return;
    inARow.clear();
    pause(`The agent "${agent}" was refused ${count} times in a row`);
    // Looked up while the process still waits for its refusal.
    if (pid !== null && stops.state().mode === 'paused') causes = familyOf(pid, options.ancestry);
  };

  const seen = <T extends GateResult | PermitResult>(
    { request: { agent = unnamedAgent }, peer }: Incoming,
    result: T,
  ): T => {
    if (result.ok) {
      quietMs = 0;
      inARow.delete(agent);
    } else if (!noSign.has(result.refusal.code)) refused(agent, peer?.pid ?? null);
    return result;
  };

  stops.onChange(() => {
    quietMs = 0;
    inARow.clear();
    if (stops.state().mode === 'armed') causes = null;
  });
  cancel = clock.after(tickMs, tick);
  return {
    watch: (gate) => ({
      check: async (incoming) => gate.check(incoming),
      exec: async (incoming, io) => seen(incoming, await gate.exec(incoming, io)),
      permit: async (incoming, io, by) => seen(incoming, await gate.permit(incoming, io, by)),
      redeem: async (slip, io) => {
        const result = await gate.redeem(slip, io);
        if (result.ok) quietMs = 0;
        return result;
      },
    }),
    requireNotItsCause: async (pid) => {
      if (causes === null) return;
      const known = await causes;
      const asking = pid === null ? [] : [pid, ...(await pidsAbove(pid, options.ancestry))];
      if (pid !== null && !asking.some((one) => known.has(one))) return;
      throw refuse(
        'confirm-rejected',
        'Whoever was refused cannot end the pause that this has caused.',
        'A person ends it: in the app, or with "interlock resume" in a terminal of their own.',
      );
    },
    dispose: () => cancel(),
  };
}

function settingsOf({ config }: AutomaticPauseOptions): Partial<Config['lockout']> {
  try {
    return config().lockout;
  } catch {
    // While config.json is not valid everything is refused anyway.
    return {};
  }
}

function sayMinutes(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1_000)} seconds`;
  return `${Math.round(ms / 60_000)} minutes`;
}

const shells = /^-?(?:ba|da|z|fi|k|c|tc)?sh$|^(?:nu|xonsh|pwsh)$/u;

async function pidsAbove(
  pid: number,
  ancestry: AutomaticPauseOptions['ancestry'],
): Promise<readonly number[]> {
  return (await ancestry(pid).catch(() => [])).map((one) => one.pid);
}

/**
 * A process and what it belongs to: those above it, without the terminal or app at the end and the
 * person's shells right below that, which other commands of theirs have above them too.
 */
async function familyOf(
  pid: number,
  ancestry: AutomaticPauseOptions['ancestry'],
): Promise<ReadonlySet<number>> {
  const chain = (await ancestry(pid).catch(() => [])).slice(0, -1);
  while (chain.length > 0 && shells.test(chain.at(-1)?.name ?? '')) chain.pop();
  return new Set([pid, ...chain.map((one) => one.pid)]);
}
