import { describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { cwd, home } from '../../support/stages.ts';

/** A command that only shows something, a file by which it would start code first, and what is harmless there. */
const steered: readonly (readonly [string, string, string, string | null])[] = [
  ['pnpm list', '.pnpmfile.cjs', '', null],
  ['pnpm root', '.npmrc', 'global-pnpmfile=./x.cjs', '//r.example/:_authToken=${T}'],
  ['pnpm licenses list', 'pnpm-workspace.yaml', 'configDependencies:\n  x: 1', 'packages: [a]'],
  ['yarn list', '.yarnrc', 'yarn-path "./x.js"', 'registry "https://r.example"'],
  ['yarn --version', '.yarnrc.yml', 'yarnPath: ./x.cjs', 'nodeLinker: node-modules'],
  ['yarn why a', '.yarnrc.yml', '"yarn\\x50ath": ./x.cjs', null],
  [
    'cargo --version',
    'rust-toolchain.toml',
    '[toolchain]\npath = "./x"',
    '[toolchain]\nchannel = "1.80"',
  ],
  ['rustc --version', 'rust-toolchain', '[toolchain]\npath = "./x"', 'stable'],
  ['mvn --version', '.mvn/jvm.config', '-Xmx2g -javaagent:x.jar', '-Xms256m -Xmx2g'],
  ['mvn -v', '.mvn/jvm.config', '-Xmx2g\n-XX:OnOutOfMemoryError=./x', null],
  ['pytest --version', 'conftest.py', '', null],
  ['pytest --version', 'pyproject.toml', 'addopts = "-p x"', '[project]\nname = "a"'],
  ['flake8 --version', '.flake8', '[flake8:local-plugins]', '[flake8]\nmax-line-length = 100'],
  ['bundle --version', '.bundle/config', 'BUNDLE_PATH: "x"', 'BUNDLE_JOBS: "4"'],
  ['rails --version', 'bin/rails', '', null],
  ['dotnet --version', 'global.json', '{"sdk":{"paths":["x"]}}', '{"sdk":{"version":"8.0.1"}}'],
  ['bazel --version', 'tools/bazel', '', null],
  ['bazel --version', '.bazelversion', 'evil/9.0.0', '7.1.0'],
  ['jest --version', 'node_modules/jest/package.json', '{}', null],
];

async function levelOf(command: string, files: Readonly<Record<string, string>>): Promise<string> {
  const [name = ''] = command.split(' ');
  const analyse = await analyserOn({ [`/usr/bin/${name}`]: '\u007fELF', ...files });
  const analysis: Analysis = analyse(command);
  if (!analysis.ok) throw new Error(analysis.detail);
  return analysis.plan.stages.at(-1)?.trust.level ?? '';
}

describe('a program that would first start what its folder says', () => {
  it.each(steered)('%s is pinned by %s', async (command, file, text, harmless) => {
    expect(await levelOf(command, { [`${cwd}/${file}`]: text })).toBe('pinned');
    expect(await levelOf(command, {})).not.toBe('pinned');
    if (harmless !== null)
      expect(await levelOf(command, { [`${cwd}/${file}`]: harmless })).not.toBe('pinned');
  });

  it('is pinned by a folder above, but not by what the person keeps at home', async () => {
    expect(await levelOf('yarn list', { '/home/.yarnrc.yml': 'yarnPath: x' })).toBe('pinned');
    expect(await levelOf('yarn list', { [`${home}/.yarnrc.yml`]: 'yarnPath: x' })).toBe('open');
  });

  it('is not pinned for words that run the code of the project in any case', async () => {
    const file = { [`${cwd}/.yarnrc.yml`]: 'yarnPath: .yarn/releases/yarn-4.0.0.cjs' };
    expect(await levelOf('yarn test', file)).toBe('open');
    expect(await levelOf('pytest tests', { [`${cwd}/conftest.py`]: '' })).toBe('open');
  });
});

describe('the history of a project', () => {
  const repository = { [`${cwd}/.git/HEAD`]: 'ref: x\n', [`${cwd}/.git/index`]: '' };
  it.each(['rm -rf "$PWD"', 'rm -r sub/..', 'rm .git/index', 'mv "$PWD" /tmp/x', 'rm -rf ./'])(
    'is not deleted by %s under a rule with any arguments',
    async (command) => {
      expect(await levelOf(command, { ...repository, [`${cwd}/sub/a`]: '' })).toBe('pinned');
    },
  );

  it('is not what a lock is that was left behind, or a folder of sources', async () => {
    expect(await levelOf('rm -f .git/index.lock', repository)).toBe('open');
    expect(await levelOf('rm -rf src', repository)).toBe('open');
  });
});
