import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const root = join(import.meta.dirname, '../../..');
const program = join(root, 'dist/app/terminal/main.js');

/** Whether there is a real terminal to test in. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.warn('NOT TESTED: the terminal approver in a real terminal, no tmux here');

/** A screen with somebody at its keys. */
export interface Pane {
  readonly screen: () => string;
  readonly type: (...keys: string[]) => void;
  /** Looks until the screen shows all of it, and fails with the screen when it never does. */
  readonly shows: (...texts: string[]) => Promise<string>;
  readonly tmux: (...args: string[]) => string;
  /** Ends this terminal and nothing else. */
  readonly close: () => void;
}

/** The approver in a terminal of its own, inside a shell that tells how it left the terminal. */
export function openPane(
  home: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): Pane {
  const server = `interlock-${randomUUID()}`;
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-L', server, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  const screen = (): string => tmux('capture-pane', '-p', '-t', 's');
  const script = `echo BEFORE; "$0" "$1"; echo "LEFT=$?"; stty -a | grep -ow -e '-*icanon'; cat`;
  const shell = ['sh', '-c', script, process.execPath, program];
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('new-session', '-d', '-s', 's', ...size, '-e', `INTERLOCK_HOME=${home}`, ...shell);
  return {
    screen,
    tmux,
    type: (...keys) => void tmux('send-keys', '-t', 's', ...keys),
    shows: async (...texts) => {
      for (let look = 0; look < 600; look += 1) {
        const seen = screen();
        if (texts.every((text) => seen.includes(text))) return seen;
        await pause(50);
      }
      throw new Error(`not shown: ${texts.join(' | ')}\n${screen()}`);
    },
    close: () => void spawnSync('tmux', ['-L', server, 'kill-server']),
  };
}
