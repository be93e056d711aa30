/**
 * What a signal asks for. SIGHUP means "look at your settings" to a service; where there is a
 * terminal it means that the terminal is gone, and so should the runner be.
 */
export function meaningOf(
  signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM',
  streams: readonly { readonly isTTY?: boolean }[],
): 'stop' | 'reload' {
  const hasTerminal = streams.some(({ isTTY }) => isTTY === true);
  return signal === 'SIGHUP' && !hasTerminal ? 'reload' : 'stop';
}
