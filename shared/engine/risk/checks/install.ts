import { finding } from '../finding.ts';
import type { RiskCheck } from '../finding.ts';
import { operands } from '../options.ts';

/** Subcommands that fetch packages and run what their authors wrote. */
const installers: Readonly<Record<string, readonly string[]>> = {
  npm: ['install', 'i', 'add', 'ci', 'exec', 'x', 'init', 'create', 'update', 'up'],
  pnpm: ['install', 'i', 'add', 'dlx', 'create', 'update', 'up'],
  yarn: ['install', 'add', 'dlx', 'create', 'upgrade', 'up'],
  bun: ['install', 'i', 'add', 'x', 'create', 'update'],
  pip: ['install', 'download'],
  pip3: ['install', 'download'],
  pipx: ['install', 'run', 'upgrade'],
  uv: ['add', 'sync', 'pip', 'tool'],
  poetry: ['install', 'add', 'update'],
  cargo: ['install', 'add'],
  gem: ['install'],
  bundle: ['install', 'add', 'update'],
  go: ['install', 'get'],
  brew: ['install', 'reinstall', 'upgrade', 'tap'],
  apt: ['install', 'upgrade', 'full-upgrade', 'remove', 'purge'],
  'apt-get': ['install', 'upgrade', 'dist-upgrade', 'remove', 'purge'],
  dnf: ['install', 'upgrade', 'remove'],
  yum: ['install', 'update', 'remove'],
  apk: ['add', 'del', 'upgrade'],
  composer: ['install', 'require', 'update'],
  dotnet: ['add', 'restore'],
};

/** Programs that fetch a package and run it at once. */
const runners = new Set(['npx', 'pnpx', 'bunx', 'uvx', 'yarnpkg']);

export const checkInstall: RiskCheck = ({ name, args }) => {
  const words = operands(
    args,
    new Set(['--prefix', '-C', '--filter', '-F', '-w', '--workspace', '--python', '-p']),
  );
  const [command = '', ...rest] = words;
  const packages = runners.has(name) ? words : rest;
  const fetches =
    (runners.has(name) && words.length > 0 && !args.includes('--no-install')) ||
    (Object.hasOwn(installers, name) && installers[name]?.includes(command) === true);
  if (!fetches || args.includes('--ignore-scripts') || args.includes('--dry-run')) return [];
  const foreign = packages.find((word) =>
    /^(?:https?:|git[+@:]|ssh:|github:|file:\/)|\.git$/.test(word),
  );
  if (foreign !== undefined) {
    return [
      finding('package-install', 'high', `Installs code straight from ${foreign}.`, [foreign]),
    ];
  }
  const what = runners.has(name) ? `Runs the package ${command}` : 'Installs packages';
  return [
    finding('package-install', 'low', `${what}, whose scripts run on this machine.`, [
      runners.has(name) ? command : name,
    ]),
  ];
};
