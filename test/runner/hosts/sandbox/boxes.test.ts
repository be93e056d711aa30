import { describe, expect, test } from 'vitest';
import { createBoxes, idleMs, unusedMs } from '../../../../runner/hosts/sandbox/boxes.ts';
import type { BoxesOptions } from '../../../../runner/hosts/sandbox/boxes.ts';
import { openKeeper } from '../../../../runner/hosts/sandbox/keeper.ts';
import type { Keeper } from '../../../../runner/hosts/sandbox/keeper.ts';
import { encodePlan } from '../../../../runner/hosts/sandbox/message.ts';
import type { LaunchPlan } from '../../../../runner/hosts/sandbox/message.ts';
import { systemClock } from '../../../../shared/home/clock.ts';
import { fakeClock } from '../../../support/fake-clock.ts';
import {
  box,
  childrenWith,
  command,
  inside,
  launcher,
  ownWord,
  processesWith,
  rungs,
} from './support.ts';

const plan: LaunchPlan = {
  mode: 'box',
  uid: process.geteuid?.() ?? -1,
  gid: process.getegid?.() ?? -1,
  parent: process.pid,
  noNetwork: true,
  tells: false,
  limits: { processes: 0, memory: 0, fileSize: 0, cpuSeconds: 0, openFiles: 0 },
  cwd: '/',
  file: '/bin/sh',
  argv: ['sh'],
  env: {},
  entries: [{ kind: 'tmpfs', target: '/tmp', options: 'size=1m' }],
  groups: [],
};

/** Boxes whose keepers are not there, over a clock of their own. */
function fakeBoxes(options: Partial<BoxesOptions> = {}) {
  const clock = fakeClock();
  const closed: number[] = [];
  let count = 0;
  const open = (): Keeper => {
    count += 1;
    const number = count;
    let isOpen = true;
    let tell = (): void => {};
    return {
      pid: number,
      begun: Promise.resolve({ ok: true, held: null }),
      isOpen: () => isOpen,
      run: () => null,
      close: () => {
        isOpen = false;
        closed.push(number);
        tell();
      },
      closed: new Promise((resolve) => {
        tell = resolve;
      }),
    };
  };
  const groups = { ok: false, problem: 'none' } as const;
  const boxes = createBoxes({ clock, launcher, groups, open, ...options });
  const needs = { limits: { memory: 1, processes: 1 }, network: null };
  const take = (session: string) => boxes.take({ ...command('', '/'), session }, plan, needs);
  return { clock, boxes, take, closed, opened: () => count };
}

describe('the boxes of sessions', () => {
  test('end when nothing has run in them for a while, and not before', () => {
    const { clock, take, closed, opened } = fakeBoxes();
    const first = take('a');
    clock.advance(idleMs * 2);
    expect(closed).toEqual([]);
    first?.release();
    clock.advance(idleMs - 1);
    take('a')?.release();
    clock.advance(idleMs - 1);
    expect({ closed, opened: opened() }).toEqual({ closed: [], opened: 1 });
    clock.advance(1);
    expect(closed).toEqual([1]);
    take('a');
    expect(opened()).toBe(2);
  });

  test('tell their way out of each command that ends, so that its "once" holds for no later one', () => {
    const { boxes, closed } = fakeBoxes();
    const ended: string[] = [];
    const way = (name: string) => ({
      port: 3128,
      variables: {},
      entries: [],
      listens: () => {},
      commandEnded: () => ended.push(name),
      close: () => {},
    });
    const enter = (name: string) =>
      boxes.take({ ...command('', '/'), session: 'a' }, plan, {
        limits: { memory: 1, processes: 1 },
        network: way(name),
      });
    const [first, second] = [enter('kept'), enter('not needed')];
    first?.release();
    expect(ended).toEqual(['kept']);
    second?.release();
    expect({ ended, closed }).toEqual({ ended: ['kept', 'kept'], closed: [] });
  });

  test('end when no command came for long, whatever runs in them', () => {
    const { clock, take, closed } = fakeBoxes();
    take('a');
    clock.advance(unusedMs - 1);
    expect(closed).toEqual([]);
    clock.advance(60_000);
    expect(closed).toEqual([1]);
  });

  test('are so many at most: the idle one that was used first goes, and none that is in use', () => {
    const { clock, take, closed } = fakeBoxes();
    const taken = Array.from({ length: 32 }, (_, index) => take(String(index)));
    expect(take('one too many')).toBeNull();
    taken[5]?.release();
    clock.advance(1);
    taken[3]?.release();
    expect(take('one more')).not.toBeNull();
    expect(closed).toEqual([4]);
  });

  test('end where their agent has lost its key', () => {
    let isWelcome = true;
    const { clock, take, closed } = fakeBoxes({ isWelcome: () => isWelcome });
    take('a');
    clock.advance(60_000);
    expect(closed).toEqual([]);
    isWelcome = false;
    clock.advance(60_000);
    expect(closed).toEqual([1]);
  });

  test('a command without a session, or one that is shown /sys, has a box of its own', () => {
    const { boxes } = fakeBoxes();
    const needs = { limits: { memory: 1, processes: 1 }, network: null };
    expect(boxes.take(command('', '/'), plan, needs)).toBeNull();
    const task = { ...command('', '/'), session: 'a' };
    const shown = { kind: 'bind', target: '/x', source: '/sys/class' } as const;
    expect(boxes.take(task, { ...plan, entries: [shown] }, needs)).toBeNull();
  });
});

describe.skipIf(!rungs.includes('session'))('a keeper', () => {
  const keeping = {
    mode: 'keep',
    uid: plan.uid,
    gid: plan.gid,
    parent: process.pid,
    noNetwork: true,
    entries: [],
    groups: [],
  } as const;

  test('that cannot build its box says which step failed, and takes no command', async () => {
    const keeper = openKeeper(
      launcher,
      { ...keeping, groups: ['/nowhere/cgroup.procs'] },
      systemClock,
    );
    expect(await keeper?.begun).toEqual({ ok: false, step: 'cgroup', error: 'ENOENT' });
    await keeper?.closed;
    expect(keeper?.isOpen()).toBe(false);
    expect(
      keeper?.run(Buffer.alloc(0), { takesInput: false, outputs: [1, 2], tells: false }),
    ).toBeNull();
  });

  test('starts nothing by a plan for another user, network or kind of box', async () => {
    const keeper = openKeeper(launcher, keeping, systemClock);
    expect(await keeper?.begun).toMatchObject({ ok: true });
    const joining = { ...plan, mode: 'join', entries: [] } as const;
    const wrong = [
      [{ ...joining, uid: plan.uid + 1 }, 'another user'],
      [{ ...joining, noNetwork: false }, 'another network'],
      [{ ...joining, mode: 'box' }, 'another mode'],
      [{ ...joining, mode: 'hold' }, 'another mode'],
      [{ ...joining, groups: ['/sys/fs/cgroup/cgroup.procs'] }, 'groups of its own'],
    ] as const;
    for (const [message, why] of wrong) {
      const stdio = { takesInput: false, outputs: [1, 2], tells: false } as const;
      const kept = keeper?.run(encodePlan(message), stdio);
      expect(await kept?.report.begun).toEqual({ ok: false, step: 'plan', error: why });
      await kept?.report.closed;
    }
    keeper?.close();
    await keeper?.closed;
  });

  test('that is killed takes all along', async () => {
    const { workspace, host } = box({}, { rung: 'session' });
    const word = ownWord();
    await inside(host, `setsid sleep ${word} & exit 0`, workspace);
    // Other tests have keepers, too.
    for (const pid of childrenWith('interlock-launcher')) process.kill(pid, 'SIGKILL');
    await expect.poll(() => processesWith(word)).toEqual([]);
    await expect.poll(() => host.groups()).toEqual([]);
    expect((await inside(host, 'echo anew', workspace)).stdout).toBe('anew\n');
  });
});
