import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { transformWithOxc } from 'vite';
import { describe, expect, it } from 'vitest';
import { channels } from '../../../app/electron/ipc.ts';
import type { PreloadBridge } from '../../../app/bridge/preload-bridge.ts';
import type { StatePush } from '../../../app/bridge/state-push.ts';
import { appState } from './support/start.ts';

const file = fileURLToPath(new URL('../../../app/electron/preload.cts', import.meta.url));

/** Runs the preload as Electron's sandbox does: with `require` for `electron` and nothing else. */
async function load(answers: Record<string, unknown> = {}) {
  const { code } = await transformWithOxc(await readFile(file, 'utf8'), file, { lang: 'ts' });
  const exposed: Record<string, PreloadBridge> = {};
  const invoked: unknown[][] = [];
  const listeners = new Map<string, (event: object, push: StatePush) => void>();
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name: string, api: PreloadBridge) => (exposed[name] = api),
    },
    ipcRenderer: {
      on: (channel: string, listener: (event: object, push: StatePush) => void) =>
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
  const bridge = exposed['interlock'] as PreloadBridge;
  const push = (sent: StatePush) => listeners.get(channels.state)?.({ sender: 'secret' }, sent);
  return { exposed, bridge, invoked, listeners, push };
}

describe('the preload', () => {
  it('exposes the bridge and nothing else', async () => {
    const { exposed, bridge } = await load();
    expect(Object.keys(exposed)).toEqual(['interlock']);
    expect(Object.keys(bridge).toSorted()).toEqual(['call', 'onPush', 'state']);
    for (const value of Object.values(bridge)) expect(typeof value).toBe('function');
  });

  it('uses the channels of the shell', async () => {
    const { invoked, listeners, bridge } = await load({
      [channels.ready]: { ok: true, value: appState() },
    });
    bridge.onPush(() => undefined);
    await expect(bridge.state()).resolves.toEqual(appState());
    await bridge.call('health', {});
    expect(invoked).toEqual([[channels.ready], [channels.call, 'health', {}]]);
    expect([...listeners.keys()]).toEqual([channels.state]);
  });

  it('hands over pushes without the event', async () => {
    const { bridge, push } = await load();
    const seen: unknown[][] = [];
    bridge.onPush((...args) => void seen.push(args));
    push({ type: 'state', state: appState() });
    expect(seen).toEqual([[{ type: 'state', state: appState() }]]);
  });

  it('has no state when the shell refuses to tell it', async () => {
    const refusal = { code: 'invalid-request', message: 'No.', hint: 'Reload.' };
    const { bridge } = await load({ [channels.ready]: { ok: false, refusal } });
    await expect(bridge.state()).resolves.toBeNull();
  });

  it('turns the refusal of the shell into the answer of the call', async () => {
    const refusal = { code: 'invalid-request', message: 'No.', hint: 'Reload.' };
    const { bridge } = await load({ [channels.call]: { ok: false, refusal } });
    await expect(bridge.call('health', {})).resolves.toEqual({ ok: false, refusal });
  });
});
