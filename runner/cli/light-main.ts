import { resolve } from 'node:path';
import { runLight } from './light.ts';
import { processIo } from './process-io.ts';

// From dist/runner/cli.
const packageRoot = resolve(import.meta.dirname, '../../..');

void start();

async function start(): Promise<void> {
  process.exitCode = await runLight(process.argv.slice(2), processIo(packageRoot));
}
