import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { standInElectron } from './stand-in.ts';

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** The packed app below its output folder. */
export interface Packed {
  readonly program: string;
  readonly resources: string;
  readonly archive: string;
  readonly runner: string;
}

/** Builds the sources, if nobody did, and packs them for Linux around a stand-in for Electron. */
export function pack(folder: string): Packed {
  const built = ['app/electron/main.js', 'renderer/index.html', 'runner/cli/main.js'];
  if (!built.every((file) => existsSync(join(projectRoot, 'dist', file)))) {
    runNode([join(projectRoot, 'scripts', 'build.mjs')]);
  }
  const electron = standInElectron(join(folder, 'electron'));
  runNode([
    join(projectRoot, 'node_modules', 'electron-builder', 'cli.js'),
    '--linux',
    '--dir',
    '--publish=never',
    `--project=${projectRoot}`,
    `-c.electronDist=${electron}`,
    `-c.directories.output=${join(folder, 'release')}`,
  ]);
  const release = join(folder, 'release');
  // `linux-unpacked`, or with the processor in its name.
  const output = join(
    release,
    readdirSync(release).find((name) => name.endsWith('unpacked')) ?? '',
  );
  const resources = join(output, 'resources');
  return {
    program: join(output, 'interlock-app'),
    resources,
    archive: join(resources, 'app.asar'),
    runner: join(resources, 'runner'),
  };
}

/** Runs a Node program to its end and gives its output; a failure throws with what it said. */
export function runNode(args: readonly string[], env: Record<string, string> = {}): string {
  const done = spawnSync(process.execPath, args, {
    cwd: projectRoot,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (done.status === 0) return done.stdout;
  throw new Error(`${args[0]} ended with ${done.status}:\n${done.stdout}\n${done.stderr}`);
}
