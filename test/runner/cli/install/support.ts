import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hookProgramPath } from '../../../../shared/agents/hook-command.ts';
import { runCli } from '../../../../runner/cli/program.ts';
import { packageRoot, temporaryHome, testIo } from '../support.ts';

/** A person's folder with an Interlock home and an installed package, and its command line. */
export interface InstallPlace {
  /** The person's home folder. */
  readonly folder: string;
  readonly program: string;
  run(...args: readonly string[]): Promise<{
    readonly exitCode: number;
    readonly out: string;
    readonly err: string;
  }>;
  /** Writes a file below the folder, with its folders. */
  write(path: string, text: string): string;
  remove(): void;
}

/** Makes one, with a home that was set up. The package has stand-ins for what a build makes. */
export async function installPlace(): Promise<InstallPlace> {
  const { folder, home, remove } = temporaryHome();
  const root = join(folder, 'package');
  const program = join(root, hookProgramPath);
  const write = (path: string, text: string): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    return join(folder, path);
  };
  write('package/package.json', '{ "version": "0.0.0" }');
  write(`package/${hookProgramPath}`, '');
  cpSync(join(packageRoot, 'assets', 'agents'), join(root, 'assets', 'agents'), {
    recursive: true,
  });
  mkdirSync(join(folder, 'project'));
  const run: InstallPlace['run'] = async (...args) => {
    const world = testIo({ home, cwd: join(folder, 'project'), env: { HOME: folder } });
    const exitCode = await runCli(args, { ...world.io, packageRoot: root });
    return { exitCode, out: world.out(), err: world.err() };
  };
  await run('init');
  return { folder, program, run, write, remove };
}
