// A sandboxed preload can load nothing but `electron`: the channel names repeat `ipc.ts`.
import type { ContextBridge, IpcRenderer } from 'electron' with { 'resolution-mode': 'import' };
import type { AppState, Bridge } from '../bridge/types.ts' with { 'resolution-mode': 'import' };

interface Electron {
  readonly contextBridge: ContextBridge;
  readonly ipcRenderer: IpcRenderer;
}

const { contextBridge, ipcRenderer } = require('electron') as Electron;

const listeners = new Set<(state: AppState) => void>();
let last: AppState | null = null;

function receive(state: AppState): void {
  // The answer to "ready" may arrive after a newer push.
  if (last !== null && state.revision < last.revision) return;
  last = state;
  for (const listener of listeners) listener(state);
}

ipcRenderer.on('interlock:state', (_event, state: AppState) => receive(state));

async function listen(): Promise<void> {
  const answer = await ipcRenderer.invoke('interlock:ready');
  if (answer.ok && answer.value !== null) receive(answer.value);
}

void listen();

const bridge: Bridge = {
  subscribe: (listener) => {
    listeners.add(listener);
    if (last !== null) listener(last);
    return () => {
      listeners.delete(listener);
    };
  },
  // The host lives in the process that owns this window: the connection stands as long as both do.
  onConnection: (listener) => {
    listener(true);
    return () => undefined;
  },
  call: async (name, args) => {
    const answer = await ipcRenderer.invoke('interlock:call', name, args);
    return answer.ok ? answer.value : { ok: false, refusal: answer.refusal };
  },
};

contextBridge.exposeInMainWorld('interlock', bridge);
