// A sandboxed preload can load nothing but `electron`: the channel names repeat `ipc.ts`.
import type { ContextBridge, IpcRenderer } from 'electron' with { 'resolution-mode': 'import' };
import type { StatePush } from '../bridge/state-push.ts' with { 'resolution-mode': 'import' };
import type { PreloadBridge } from '../bridge/preload-bridge.ts' with {
  'resolution-mode': 'import',
};

interface Electron {
  readonly contextBridge: ContextBridge;
  readonly ipcRenderer: IpcRenderer;
}

const { contextBridge, ipcRenderer } = require('electron') as Electron;

const bridge: PreloadBridge = {
  onPush: (listener) => {
    ipcRenderer.on('interlock:state', (_event, push: StatePush) => listener(push));
  },
  state: async () => {
    const answer = await ipcRenderer.invoke('interlock:ready');
    return answer.ok ? answer.value : null;
  },
  call: async (name, args) => {
    const answer = await ipcRenderer.invoke('interlock:call', name, args);
    return answer.ok ? answer.value : { ok: false, refusal: answer.refusal };
  },
};

contextBridge.exposeInMainWorld('interlock', bridge);
