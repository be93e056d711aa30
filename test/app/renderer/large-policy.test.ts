import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBridgeClient } from '../../../app/bridge/bridge-client.ts';
import { pageMessageLimit } from '../../../app/bridge/messages.ts';
import { bridgeOverPreload } from '../../../app/bridge/preload-bridge.ts';
import type { StatePush } from '../../../app/bridge/state-push.ts';
import type { Bridge } from '../../../app/bridge/types.ts';
import { openConsole } from '../../../app/console/server.ts';
import { channels } from '../../../app/electron/ipc.ts';
import type { UiHost } from '../../../app/host/types.ts';
import {
  addRules,
  draftArgs,
  editPart,
  save,
  useDraft,
} from '../../../app/renderer/allowlist/draft.ts';
import { call, useApp } from '../../../app/renderer/state/app.ts';
import { holdPolicy, usePolicy } from '../../../app/renderer/state/policy.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';
import { connectPage } from '../console/support.ts';
import { startFake } from '../electron/support/start.ts';
import { testHome } from '../host/support.ts';
import type { TestHome } from '../host/support.ts';

const small = 16 * 1024;
const count = 20_000;
const rules: readonly Rule[] = Array.from({ length: count }, (_, index) => ({
  id: `tool-${index}`,
  pattern: `/opt/tools/bin/tool-${index}`,
  args: ['run', '...'],
  note: 'one of the many tools of this machine',
}));

/** A page's end of a bridge, and the length of everything that came over it. */
interface Carried {
  readonly bridge: Bridge;
  readonly pushes: number[];
  readonly sent: number[];
  readonly results: number[];
}

let home: TestHome;
const ends: (() => unknown)[] = [];
beforeEach(async () => {
  useApp.setState(useApp.getInitialState());
  usePolicy.setState(usePolicy.getInitialState());
  useDraft.setState(useDraft.getInitialState());
  home = await testHome();
  write((document) => ({ ...document, agents: { '*': { allowlist: rules } } }));
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await home.close();
});

function write(change: (document: PolicyDocument) => PolicyDocument): void {
  writeFileSync(home.paths.policy, JSON.stringify(change(home.policy())));
}

const lengthOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

async function overWebSocket(host: UiHost): Promise<Carried> {
  const console = await openConsole({
    host,
    files: new Map(),
    clock: systemClock,
    random: randomBytes,
    idleMs: 1_000_000,
    port: 0,
    onLinkUsed: () => undefined,
  });
  ends.push(() => console.dispose());
  const page = await connectPage(console.port, console.newLink());
  const carried = { pushes: [] as number[], sent: [] as number[], results: [] as number[] };
  const client = createBridgeClient({
    send: (text) => {
      carried.sent.push(Buffer.byteLength(text));
      page.socket.send(text);
    },
    restart: () => expect.unreachable(),
  });
  client.opened();
  const read = async (): Promise<void> => {
    for (let message = await page.next(); message !== null; message = await page.next()) {
      const list = message['type'] === 'result' ? carried.results : carried.pushes;
      list.push(lengthOf(message));
      client.receive(JSON.stringify(message));
    }
  };
  void read();
  return { bridge: client.bridge, ...carried };
}

async function overIpc(host: UiHost): Promise<Carried> {
  const fake = await startFake({ start: async () => ({ kind: 'started', host }) });
  ends.push(fake.end);
  const contents = fake.windows[0]?.webContents;
  if (contents === undefined) throw new Error('There is no window.');
  const carried = { pushes: [] as number[], sent: [] as number[], results: [] as number[] };
  const frame = { routingId: 1, processId: 7, parent: null, detached: false };
  const event = {
    sender: { id: contents.id, mainFrame: { routingId: 1, processId: 7 } },
    senderFrame: { ...frame, origin: 'app://interlock', url: 'app://interlock/#/asks' },
  };
  const invoke = async (channel: string, ...args: unknown[]): Promise<never> => {
    const answer = await fake.handlers.get(channel)?.(event, ...structuredClone(args));
    if (channel === channels.call) {
      carried.sent.push(lengthOf(args));
      carried.results.push(lengthOf(answer));
    }
    return (structuredClone(answer) as { value: never }).value;
  };
  const bridge = bridgeOverPreload({
    onPush: (listener) => {
      contents.send = (_channel, push) => {
        carried.pushes.push(lengthOf(push));
        listener(structuredClone(push) as StatePush);
      };
    },
    state: () => invoke(channels.ready),
    call: (name, args) => invoke(channels.call, name, args),
  });
  return { bridge, ...carried };
}

/** Sits down at the allowlist, and waits until the policy is there. */
async function openAllowlist({ bridge }: Carried): Promise<void> {
  useApp.setState({ bridge });
  ends.push(bridge.subscribe((state) => useApp.setState({ state })));
  await expect.poll(() => useApp.getState().state).not.toBeNull();
  ends.push(holdPolicy());
  await expect.poll(ruleCount, { timeout: 10_000 }).toBe(count);
}

function ruleCount(): number | undefined {
  return usePolicy.getState().policy?.document?.agents?.['*']?.allowlist?.length;
}

function forget({ pushes, sent, results }: Carried): void {
  for (const list of [pushes, sent, results]) list.length = 0;
}

const bridges = [
  ['WebSocket', overWebSocket],
  ['ipc', overIpc],
] as const;

describe.each(bridges)('a page with 20,000 rules over %s', (_name, connect) => {
  it('opens, edits and saves, and is sent no more than what changed', async () => {
    const { host } = await home.start();
    const carried = await connect(host);
    await openAllowlist(carried);
    expect(Math.max(...carried.pushes, 0)).toBeLessThan(small);
    forget(carried);

    const changed = { ...(rules[700] as Rule), args: ['stop'] };
    editPart({ kind: 'rule', agent: '*', id: changed.id }, changed);
    editPart({ kind: 'rule', agent: '*', id: 'tool-9' }, null);
    addRules([{ agent: '*', rule: { pattern: '/usr/bin/uname' } }]);
    const { draft } = useDraft.getState();
    const asked = { agent: 'claude', command: 'uname', cwd: '/', ...draftArgs(draft) };
    expect(await call('simulate', asked)).toMatchObject({ ok: true });
    await save();
    expect(useDraft.getState()).toMatchObject({ draft: null, notice: 'saved' });
    expect(useApp.getState().failure).toBeNull();
    const saved = home.policy().agents?.['*']?.allowlist ?? [];
    expect(saved).toHaveLength(count);
    expect(saved[699]).toEqual(changed);
    expect(saved.at(-1)).toMatchObject({ pattern: '/usr/bin/uname' });

    // The runner notes that a rule was used: the page follows with that rule alone.
    write((document) => ({
      ...document,
      agents: { '*': { allowlist: saved.with(3, { ...(saved[3] as Rule), uses: 7 }) } },
    }));
    await expect
      .poll(() => usePolicy.getState().policy?.document?.agents?.['*']?.allowlist?.[3]?.uses, {
        timeout: 10_000,
      })
      .toBe(7);
    expect(carried.pushes.length).toBeGreaterThan(0);
    for (const lengths of [carried.pushes, carried.sent, carried.results]) {
      expect(Math.max(...lengths)).toBeLessThan(small);
    }
  });

  it('saves thousands of new rules in steps, each within the limit of a message', async () => {
    const { host } = await home.start();
    const carried = await connect(host);
    await openAllowlist(carried);
    forget(carried);
    addRules(
      Array.from({ length: 3_000 }, (_, index) => ({
        agent: '*',
        rule: {
          pattern: `/opt/new/bin/tool-${index}`,
          effect: index % 3 === 0 ? ('deny' as const) : ('allow' as const),
        },
      })),
    );
    await save();
    expect(useApp.getState().failure).toBeNull();
    expect(useDraft.getState().draft).toBeNull();
    expect(JSON.parse(readFileSync(home.paths.policy, 'utf8'))).toMatchObject({
      agents: { '*': { allowlist: { length: count + 3_000 } } },
    });
    expect(carried.sent.length).toBeGreaterThan(2);
    expect(Math.max(...carried.sent)).toBeLessThan(pageMessageLimit);
  });
});

it('the terminal is told a state that does not grow with the policy', async () => {
  const { until } = await home.start({ shell: 'terminal' });
  const state = await until(({ policy }) => policy.problem === null);
  expect(lengthOf(state)).toBeLessThan(small);
});
