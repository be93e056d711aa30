import type { Bridge } from '../../bridge/types.ts';

/** `lost` is tried again; `ended` needs a new link, because the host said goodbye. */
export type Link = 'connecting' | 'open' | 'lost' | 'ended';

/** A bridge together with how well it is connected. */
export interface Connection {
  readonly bridge: Bridge;
  /** Calls back at once, then at each change. */
  onLink(listener: (link: Link) => void): () => void;
}
