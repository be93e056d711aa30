/** The channels between a page and the shell. `preload.cts` repeats them, as it can import nothing. */
export const channels = {
  /** Page to shell: a call of the bridge, answered with its result. */
  call: 'interlock:call',
  /** Page to shell: the page listens; answered with the last state, or null. */
  ready: 'interlock:ready',
  /** Shell to page: a new state. */
  state: 'interlock:state',
} as const;
