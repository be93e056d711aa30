import { resolve } from 'node:path';
import { systemClock } from '../../shared/node/clock/system.ts';
import { homePaths } from '../../shared/node/home/paths.ts';
import { refusalOf } from '../../shared/refusal/refusal.ts';
import { readConfig } from '../host/config.ts';
import { plainFacts } from '../host/shell-facts.ts';
import { startUiHost } from '../host/start.ts';
import { openTerminalSession } from './session.ts';
import { ttyPort } from './tty.ts';

const paths = homePaths(process.env);

async function run(): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    process.stderr.write(
      'interlock: the terminal approver needs a terminal. Try: interlock ui --console\n',
    );
    return 125;
  }
  const started = await startUiHost({
    paths,
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
  const { ui } = readConfig(paths.config, { uid: process.geteuid?.() ?? -1 });
  const tty = ttyPort(process.stdin, process.stdout);
  const session = openTerminalSession({
    host: started.host,
    port: tty,
    clock: systemClock,
    colours: (process.env['NO_COLOR'] ?? '') === '',
    bell: ui.notifications,
  });
  const restore = (): void => {
    session.close();
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
  await started.host.close();
  return 0;
}

try {
  process.exit(await run());
} catch (error) {
  const refusal = refusalOf(error);
  const text = refusal === undefined ? String(error) : `${refusal.message} ${refusal.hint}`;
  process.stderr.write(`interlock terminal: ${text}\n`);
  process.exit(125);
}
