import type { Bridge } from '../../bridge/types.ts';
import type { Connection } from './types.ts';

declare global {
  interface Window {
    /** Exposed by the preload script of the menu-bar app. */
    readonly interlock?: Bridge;
  }
}

/** The connection of a window of the menu-bar app: its host lives as long as the window. */
export function preloadConnection(bridge: Bridge): Connection {
  return {
    bridge,
    onLink: (listener) => bridge.onConnection((connected) => listener(connected ? 'open' : 'lost')),
  };
}
