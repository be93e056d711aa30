import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fakeRunner } from '../../cli/fake-runner.ts';
import type { Answer, FakeRunner } from '../../cli/fake-runner.ts';
import { packageRoot, temporaryHome } from '../../cli/support.ts';

export const program = [process.execPath, join(packageRoot, 'dist/runner/cli/main.js')] as const;

/** A home with a stand-in for the runner in it. */
export async function homeWithRunner(answer: Answer): Promise<{
  readonly home: string;
  readonly folder: string;
  readonly runner: FakeRunner;
  readonly remove: () => Promise<void>;
}> {
  const { home, folder, remove } = temporaryHome();
  mkdirSync(home, { mode: 0o700 });
  const runner = await fakeRunner(join(home, 'runner.sock'), answer);
  return {
    home,
    folder,
    runner,
    remove: async () => {
      await runner.close();
      remove();
    },
  };
}

/** The official client, joined to `interlock mcp` in a process of its own. */
export async function connectMcp(
  { home, folder }: { readonly home: string; readonly folder: string },
  ...flags: readonly string[]
): Promise<Client> {
  const [command, script] = program;
  const transport = new StdioClientTransport({
    command,
    args: [script, 'mcp', '--session', 's1', ...flags],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', INTERLOCK_HOME: home },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test-host', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

/** The one text that a tool answered with. */
export function textOf(result: { readonly content?: unknown }): string {
  const [part] = result.content as readonly { readonly type: string; readonly text: string }[];
  if (part?.type !== 'text') throw new Error('no text in the result');
  return part.text;
}
