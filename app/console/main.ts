import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { openHome, systemClock } from '../../shared/home/index.ts';
import { refusalOf } from '../../shared/base/index.ts';
import { parseArguments } from './run.ts';
import { runConsole } from './run.ts';

const packageRoot = resolve(import.meta.dirname, '../../..');

async function main(): Promise<void> {
  try {
    const running = await runConsole({
      home: openHome(process.env),
      env: process.env,
      packageRoot,
      pageDirectory: resolve(packageRoot, 'dist/renderer'),
      clock: systemClock,
      random: randomBytes,
      print: (line) => process.stdout.write(`${line}\n`),
      log: (line) => process.stderr.write(`interlock console: ${line}\n`),
      ...parseArguments(process.argv.slice(2)),
    });
    if (running !== null) {
      const stop = (): void => void running.close().then(() => process.exit(0));
      process.once('SIGTERM', stop);
      process.once('SIGINT', stop);
    }
  } catch (error) {
    const refusal = refusalOf(error);
    const text = refusal === undefined ? String(error) : `${refusal.message} ${refusal.hint}`;
    process.stderr.write(`interlock console: ${text}\n`);
    process.exitCode = 125;
  }
}

void main();
