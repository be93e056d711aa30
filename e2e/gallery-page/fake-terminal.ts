import type { BridgeCalls, TerminalEnd } from '../../app/bridge/types.ts';

/** A terminal that shows what a spec writes to it. */
export interface FakeTerminal {
  /** What the box writes next. */
  readonly write: (text: string) => void;
  readonly end: (why: TerminalEnd) => void;
  /** What was typed so far. */
  readonly typed: () => string;
}

/** The calls about terminals, answered for one box that writes `first` when somebody attaches. */
export function fakeTerminal(first: string) {
  let waiting = '';
  let ended: TerminalEnd | null = null;
  let typed = '';
  let wake = (): void => undefined;
  const terminal: FakeTerminal = {
    write: (text) => {
      waiting += text;
      wake();
    },
    end: (why) => {
      ended = why;
      wake();
    },
    typed: () => typed,
  };
  const handlers = {
    attachBox: () => {
      waiting = first;
      ended = null;
      return { terminal: 'fake-terminal-of-a-box' };
    },
    readTerminal: async (): Promise<BridgeCalls['readTerminal']['result']> => {
      if (waiting === '' && ended === null)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const bytes = new TextEncoder().encode(waiting);
      waiting = '';
      return { output: btoa(String.fromCharCode(...bytes)), ended };
    },
    typeTerminal: ({ input }: BridgeCalls['typeTerminal']['args']) => {
      typed += input;
      return {};
    },
    resizeTerminal: () => ({}),
    leaveTerminal: () => ({}),
  };
  return { terminal, handlers };
}
