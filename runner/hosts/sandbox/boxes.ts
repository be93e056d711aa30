import type { Clock } from '../../../shared/base/index.ts';
import type { HostTask } from '../host.ts';
import type { Kill } from '../process-group.ts';
import type { ControlGroup, GroupLimits, Groups } from './groups.ts';
import type { SessionBox } from '../../../shared/engine/index.ts';
import type { BoxNetwork } from './launch.ts';
import { openKeeper } from './keeper.ts';
import type { KeptCommand, Keeper } from './keeper.ts';
import { lookIntoBox } from './lives.ts';
import type { Entry, LaunchPlan } from './message.ts';

/**
 * The boxes of sessions. A session's commands come to one box, each with a root of its own: what one
 * leaves running the next one reaches. Another agent, session or person, other limits, another
 * network, or commands that somebody allowed beside those that nobody did: another box.
 */
export interface Boxes {
  /**
   * The box for a command, made where there is none, and the command's plan for it. Null where it gets
   * one of its own: without a session, and where there are as many boxes in use as there may be.
   */
  readonly take: (task: HostTask, plan: LaunchPlan, more: BoxNeeds) => TakenBox | null;
  /** What goes on in the box for what nobody was asked about; null where nothing does. */
  readonly lives: (agent: string, session: string) => SessionBox | null;
  /** Signals the processes of a command in a box by its number, and those of others as ever. */
  readonly kill: Kill;
  /** Ends the boxes of a session or of an agent, politely at first. */
  readonly endSession: (agent: string, session: string) => void;
  /** Ends all of them; what is asked for from now on gets new ones. */
  readonly endAll: (graceMs: number) => void;
}

interface BoxNeeds {
  readonly limits: GroupLimits;
  /**
   * The filtered way out that the command was given; null for none. A box that is made for it keeps it
   * for all of its commands until it ends; else the command's own is not used.
   */
  readonly network: BoxNetwork | null;
}

interface TakenBox {
  /** The box has kept the way out, and closes it. */
  readonly keepsNetwork: boolean;
  readonly keeper: Keeper;
  readonly plan: LaunchPlan;
  readonly started: (pid: number, signal: KeptCommand['signal']) => () => void;
  /** Nothing of the command lives any more, or it never began. */
  readonly release: () => void;
}

export interface BoxesOptions {
  readonly clock: Clock;
  /** Absolute path of the launcher. */
  readonly launcher: string;
  readonly groups: Groups;
  readonly kill?: Kill;
  /** Whether an agent may still speak; its boxes end soon after it may not. Absent: it may. */
  readonly isWelcome?: (agent: string) => boolean;
  readonly open?: typeof openKeeper;
}

/** Boxes that are there at the same time. */
const mostBoxes = 32;
/** How long a box without a process, and one without a new command, are kept. */
export const idleMs = 15 * 60_000;
export const unusedMs = 12 * 60 * 60_000;
/** How often it is asked whether agents may still speak. */
const welcomeMs = 10_000;
/** Between SIGTERM and the end, as for one command. */
const politeMs = 2_000;
const emptyRetryMs = 50;
const emptyRetries = 40;

interface Box {
  readonly agent: string;
  readonly session: string;
  readonly unasked: boolean;
  readonly keeper: Keeper;
  readonly network: BoxNetwork | null;
  readonly signals: Set<KeptCommand['signal']>;
  running: number;
  usedAt: number;
  cancelTimers: readonly (() => void)[];
}

/** What commands of a box have in common, where nothing else is put into it. */
const common = ['/tmp', '/var/tmp'];

/** Boxes of this runner; they end with it. */
export function createBoxes(options: BoxesOptions): Boxes {
  return new SessionBoxes(options);
}

class SessionBoxes implements Boxes {
  readonly #options: BoxesOptions;
  readonly #boxes = new Map<string, Box>();
  readonly #byPid = new Map<number, KeptCommand['signal']>();
  readonly #otherwise: Kill;
  #cancelWelcome: (() => void) | null = null;

  constructor(options: BoxesOptions) {
    this.#options = options;
    this.#otherwise = options.kill ?? ((pid, signal) => process.kill(pid, signal));
  }

  take(task: HostTask, plan: LaunchPlan, more: BoxNeeds): ReturnType<Boxes['take']> {
    const { id, agent, session, unasked = false } = task;
    if (session === undefined || reachesOwnPlace(plan)) return null;
    const { uid, gid, noNetwork } = plan;
    const { limits, network } = more;
    const sizes = plan.entries.filter(isKept).map(({ options: size }) => size);
    // Whom a way out has its clients trust is settled when it is opened.
    const way = network === null ? null : [network.port, network.variables, network.entries];
    const shape = [agent, session, unasked, uid, gid, noNetwork, limits, sizes, way];
    const key = JSON.stringify(shape);
    const found = this.#boxes.get(key);
    if (found !== undefined && !found.keeper.isOpen()) this.#forget(found);
    const box =
      this.#boxes.get(key) ?? this.#make(key, { id, agent, session, unasked }, plan, more);
    if (box === null) return null;
    box.running += 1;
    box.usedAt = this.#options.clock.now();
    this.#keepTime(box);
    return {
      keepsNetwork: network !== null && box.network === network,
      keeper: box.keeper,
      plan: joining(plan),
      started: (pid, signal) => {
        this.#byPid.set(pid, signal);
        box.signals.add(signal);
        return () => {
          box.signals.delete(signal);
          if (this.#byPid.get(pid) === signal) this.#byPid.delete(pid);
        };
      },
      release: () => {
        box.running -= 1;
        box.network?.commandEnded?.();
        if ([...this.#boxes.values()].includes(box)) this.#keepTime(box);
      },
    };
  }

  lives(agent: string, session: string): SessionBox | null {
    const [box] = [...this.#boxes.values()].filter(
      (one) => one.agent === agent && one.session === session && one.unasked && one.running > 0,
    );
    const pid = box?.keeper.pid;
    return pid === undefined ? null : lookIntoBox(pid, box?.network?.port ?? null);
  }

  /** Handed on by itself, so it knows whose it is. */
  readonly kill: Kill = (pid, signal) => {
    const tell = this.#byPid.get(-pid);
    if (tell === undefined) return this.#otherwise(pid, signal);
    // It is known here for as long as something of it lives.
    if (signal !== 0) tell(signal);
    return true;
  };

  endSession(agent: string, session: string): void {
    for (const box of this.#boxes.values())
      if (box.agent === agent && box.session === session) this.#end(box, politeMs);
  }

  endAll(graceMs: number): void {
    for (const box of this.#boxes.values()) this.#end(box, graceMs);
  }

  #forget(box: Box): void {
    for (const [key, one] of this.#boxes) if (one === box) this.#boxes.delete(key);
    for (const cancel of box.cancelTimers) cancel();
    box.cancelTimers = [];
  }

  #end(box: Box, graceMs: number): void {
    this.#forget(box);
    for (const signal of box.signals) signal('SIGTERM');
    if (graceMs === 0 || box.running === 0) box.keeper.close();
    else this.#options.clock.after(graceMs, box.keeper.close);
  }

  #keepTime(box: Box): void {
    for (const cancel of box.cancelTimers) cancel();
    box.cancelTimers = [
      this.#options.clock.after(unusedMs, () => this.#end(box, politeMs)),
      ...(box.running > 0 ? [] : [this.#options.clock.after(idleMs, () => this.#end(box, 0))]),
    ];
  }

  #watchWelcome(): void {
    const { isWelcome } = this.#options;
    if (isWelcome === undefined || this.#cancelWelcome !== null || this.#boxes.size === 0) return;
    this.#cancelWelcome = this.#options.clock.after(welcomeMs, () => {
      this.#cancelWelcome = null;
      for (const box of this.#boxes.values()) if (!isWelcome(box.agent)) this.#end(box, politeMs);
      this.#watchWelcome();
    });
  }

  /** The kernel takes a moment to let go of a group whose processes have ended. */
  #removeGroup(group: ControlGroup, again = 0): void {
    if (!group.remove() && again < emptyRetries)
      this.#options.clock.after(emptyRetryMs, () => this.#removeGroup(group, again + 1));
  }

  #makeRoom(): boolean {
    if (this.#boxes.size < mostBoxes) return true;
    const idle = [...this.#boxes.values()].filter(({ running }) => running === 0);
    const [oldest] = idle.toSorted((a, b) => a.usedAt - b.usedAt);
    if (oldest !== undefined) this.#end(oldest, 0);
    return oldest !== undefined;
  }

  #make(
    key: string,
    { id, agent, session, unasked }: Pick<Box, 'agent' | 'session' | 'unasked'> & { id: string },
    plan: LaunchPlan,
    { limits, network }: BoxNeeds,
  ): Box | null {
    if (!this.#makeRoom()) return null;
    const group = this.#options.groups.ok
      ? this.#options.groups.open(`${id}-box`, { ...limits, apart: true })
      : null;
    const { uid, gid, parent, noNetwork, proxyPort } = plan;
    const entries = plan.entries.flatMap((entry) => (isKept(entry) ? [entry] : []));
    const port = proxyPort === undefined ? {} : { proxyPort };
    const about = { mode: 'keep', uid, gid, parent, noNetwork, entries, ...port } as const;
    const kept = { ...about, groups: group?.files ?? [] };
    const { open = openKeeper, launcher, clock } = this.#options;
    const keeper = open(launcher, kept, clock, network?.listens);
    if (keeper === null) {
      if (group !== null) this.#removeGroup(group);
      return null;
    }
    const box: Box = {
      agent,
      session,
      unasked,
      keeper,
      network,
      signals: new Set(),
      running: 0,
      usedAt: 0,
      cancelTimers: [],
    };
    this.#boxes.set(key, box);
    // Whoever has no key yet is not one who has lost it.
    this.#options.isWelcome?.(agent);
    const over = (): void => {
      this.#forget(box);
      network?.close();
      if (group !== null) this.#removeGroup(group);
    };
    void keeper.closed.then(over);
    this.#watchWelcome();
    return box;
  }
}

function isKept(entry: Entry): entry is Extract<Entry, { kind: 'tmpfs' }> {
  return entry.kind === 'tmpfs' && common.includes(entry.target);
}

/** Where a box keeps what is its own (`BOX_OWN` in C) nothing of the host's can be seen any more. */
function reachesOwnPlace({ entries }: LaunchPlan): boolean {
  const sources = entries.flatMap((entry) =>
    entry.kind === 'bind' ? [entry.source] : entry.kind === 'overlay' ? [entry.lower] : [],
  );
  return sources.some((path) => path === '/sys' || path.startsWith('/sys/'));
}

/**
 * The same plan in a box that is there. What commands have in common holds nothing that is put into
 * place: a command that still runs could move that while the next one's root is built.
 */
function joining(plan: LaunchPlan): LaunchPlan {
  const entries = plan.entries.map((entry): Entry => {
    const isTaken = plan.entries.some(({ target }) => target.startsWith(`${entry.target}/`));
    return isKept(entry) && !isTaken ? { ...entry, shared: true } : entry;
  });
  const { proxyPort: _, ...rest } = plan;
  return { ...rest, mode: 'join', parent: 0, groups: [], entries };
}
