import { resolve } from 'node:path';
import type { ReadStream, WriteStream } from 'node:tty';
import { refusalOf } from '../../shared/base/index.ts';
import { openHome, systemClock } from '../../shared/home/index.ts';
import { startUiHost } from '../host/start.ts';
import { plainFacts } from '../host/types.ts';
import { openTerminalSession } from './session.ts';
import type { TerminalPort } from './session.ts';

/** A real terminal as a port, in raw mode until `restore` is called. */
function ttyPort(input: ReadStream, output: WriteStream): TerminalPort & { restore(): void } {
  input.setRawMode(true);
  input.resume();
  return {
    size: () => ({
      columns: Math.max(20, output.columns || 80),
      rows: Math.max(6, output.rows || 24),
    }),
    write: (text) => void output.write(text),
    onInput: (read) => {
      input.on('data', read);
      return () => input.off('data', read);
    },
    onResize: (resized) => {
      output.on('resize', resized);
      return () => output.off('resize', resized);
    },
    restore: () => {
      input.setRawMode(false);
      input.pause();
    },
  };
}

const home = openHome(process.env);

async function run(): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    process.stderr.write(
      'interlock: the terminal approver needs a terminal. Try: interlock ui --console\n',
    );
    return 125;
  }
  const started = await startUiHost({
    home,
    env: process.env,
    packageRoot: resolve(import.meta.dirname, '../../..'),
    shell: 'terminal',
    onFocus: () => null,
    facts: plainFacts(['sound']),
  });
  if (started.kind === 'already-running') {
    const { shell, pid, link } = started.other;
    process.stdout.write(
      link === null ? `already running: ${shell} (pid ${pid})\n` : `console: ${link}\n`,
    );
    return 0;
  }
  const { ui } = home.configOrSafe();
  const tty = ttyPort(process.stdin, process.stdout);
  const session = openTerminalSession({
    host: started.host,
    port: tty,
    clock: systemClock,
    colours: (process.env['NO_COLOR'] ?? '') === '',
    bell: ui.notifications,
  });
  const restore = (): void => {
    session.dispose();
    tty.restore();
  };
  process.once('exit', restore);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, restore);
  process.once('uncaughtException', (error) => {
    restore();
    console.error(error);
    process.exit(125);
  });
  await session.left;
  restore();
  await started.host.dispose();
  return 0;
}

run().then(
  (status) => process.exit(status),
  (error: unknown) => {
    const refusal = refusalOf(error);
    const text = refusal === undefined ? String(error) : `${refusal.message} ${refusal.hint}`;
    process.stderr.write(`interlock terminal: ${text}\n`);
    process.exit(125);
  },
);
