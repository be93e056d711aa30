import type {
  BoxAttach,
  BoxAttachBody,
  BoxEndBody,
  BoxesBody,
  BoxInfo,
  BoxTailBody,
  TerminalOutput,
  TerminalReadBody,
  TerminalResize,
  TerminalType,
} from '../wire/index.ts';

/** What the runner does with named boxes for a person. */
export interface BoxCalls {
  boxes(): Promise<readonly BoxInfo[]>;
  /** The last lines of what a window of a box wrote. */
  boxTail(name: string, window: string): Promise<readonly string[]>;
  /** Shows the windows of a box at a terminal of their own; answers what that is called. */
  attachBox(request: BoxAttach): Promise<string>;
  /** What it wrote since the last time; takes a few seconds where there is nothing. */
  readTerminal(terminal: string): Promise<TerminalOutput>;
  typeTerminal(request: TerminalType): Promise<void>;
  resizeTerminal(request: TerminalResize): Promise<void>;
  leaveTerminal(terminal: string): Promise<void>;
  /** Ends all in a box, and keeps the rest; what of it was kept, in sentences. */
  stopBox(name: string): Promise<readonly string[]>;
  /** The emergency stop of one box; what could not be done, in sentences. */
  lockBox(name: string, reason?: string): Promise<readonly string[]>;
}

/** @param post a call that takes as long as the runner does */
export function boxCalls(
  get: <T>(path: string) => Promise<T>,
  post: <T>(path: string, body: object) => Promise<T>,
): BoxCalls {
  return {
    boxes: async () => (await get<BoxesBody>('/v1/boxes')).boxes,
    boxTail: async (name, window) =>
      (await post<BoxTailBody>('/v1/boxes/tail', { name, window })).lines,
    attachBox: async (request) =>
      (await post<BoxAttachBody>('/v1/boxes/terminal', request)).terminal,
    readTerminal: async (terminal) => {
      const { output, ended } = await post<TerminalReadBody>('/v1/boxes/terminal/read', {
        terminal,
      });
      return { output, ended };
    },
    typeTerminal: async (request) => void (await post('/v1/boxes/terminal/type', request)),
    resizeTerminal: async (request) => void (await post('/v1/boxes/terminal/resize', request)),
    leaveTerminal: async (terminal) => void (await post('/v1/boxes/terminal/leave', { terminal })),
    stopBox: async (name) => (await post<BoxEndBody>('/v1/boxes/stop', { name })).notes,
    lockBox: async (name, reason) => {
      const body = { name, ...(reason !== undefined && { reason }) };
      return (await post<BoxEndBody>('/v1/boxes/lock', body)).notes;
    },
  };
}
