import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { transformWithOxc } from 'vite';
import { describe, expect, it } from 'vitest';
import { channels } from '../../../app/electron/ipc.ts';
import type { AppState, Bridge } from '../../../app/bridge/types.ts';
import { appState } from './support/start.ts';

const file = fileURLToPath(new URL('../../../app/electron/preload.cts', import.meta.url));

/** Runs the preload as Electron's sandbox does: with `require` for `electron` and nothing else. */
async function load(answers: Record<string, unknown> = {}) {
  const { code } = await transformWithOxc(await readFile(file, 'utf8'), file, { lang: 'ts' });
  const exposed: Record<string, Bridge> = {};
  const invoked: unknown[][] = [];
  const listeners = new Map<string, (event: object, state: AppState) => void>();
  const electron = {
    contextBridge: { exposeInMainWorld: (name: string, api: Bridge) => (exposed[name] = api) },
    ipcRenderer: {
      on: (channel: string, listener: (event: object, state: AppState) => void) =>
        listeners.set(channel, listener),
      invoke: async (...args: unknown[]) => {
        invoked.push(args);
        return answers[args[0] as string] ?? { ok: true, value: null };
      },
    },
  };
  const require = (name: string) => {
    if (name !== 'electron') throw new Error(`A sandboxed preload cannot load ${name}.`);
    return electron;
  };
  // TypeScript's own output is CommonJS; this transform only marks the file as a module.
  runInNewContext(code.replace(/^export \{\s*\};?$/mu, ''), { require, exports: {}, module: {} });
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  const bridge = exposed['interlock'] as Bridge;
  const push = (state: AppState) => listeners.get(channels.state)?.({ sender: 'secret' }, state);
  return { exposed, bridge, invoked, listeners, push };
}

describe('the preload', () => {
  it('exposes the bridge and nothing else', async () => {
    const { exposed, bridge } = await load();
    expect(Object.keys(exposed)).toEqual(['interlock']);
    expect(Object.keys(bridge).toSorted()).toEqual(['call', 'onConnection', 'subscribe']);
    for (const value of Object.values(bridge)) expect(typeof value).toBe('function');
  });

  it('uses the channels of the shell', async () => {
    const { invoked, listeners, bridge } = await load();
    await bridge.call('health', {});
    expect(invoked).toEqual([[channels.ready], [channels.call, 'health', {}]]);
    expect([...listeners.keys()]).toEqual([channels.state]);
  });

  it('hands over states without the event, to a late listener the last one', async () => {
    const { bridge, push } = await load();
    const seen: unknown[][] = [];
    const stop = bridge.subscribe((...args) => void seen.push(args));
    push(appState({ revision: 5 }));
    expect(seen).toEqual([[appState({ revision: 5 })]]);
    const late: number[] = [];
    bridge.subscribe(({ revision }) => void late.push(revision));
    expect(late).toEqual([5]);
    stop();
    push(appState({ revision: 6 }));
    expect(seen).toHaveLength(1);
    expect(late).toEqual([5, 6]);
  });

  it('does not go back to an older state that arrives late', async () => {
    const { bridge, push } = await load({
      [channels.ready]: { ok: true, value: appState({ revision: 9 }) },
    });
    const seen: number[] = [];
    bridge.subscribe(({ revision }) => void seen.push(revision));
    push(appState({ revision: 3 }));
    expect(seen).toEqual([9]);
  });

  it('turns the refusal of the door into the answer of the call', async () => {
    const refusal = { code: 'invalid-request', message: 'No.', hint: 'Reload.' };
    const { bridge } = await load({ [channels.call]: { ok: false, refusal } });
    await expect(bridge.call('health', {})).resolves.toEqual({ ok: false, refusal });
  });
});
