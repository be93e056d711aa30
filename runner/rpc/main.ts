import { runClient } from './client.ts';

void start();

async function start(): Promise<void> {
  process.exitCode = await runClient(process.argv.slice(2));
}
