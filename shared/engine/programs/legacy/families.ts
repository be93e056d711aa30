import { judgeAwk } from './awk.ts';
import { judgeDocker, judgeKubectl, judgeSsh } from './containers.ts';
import {
  judgeBox,
  judgeCrontab,
  judgeEnv,
  judgeLoader,
  judgeMake,
  judgeTar,
  judgeTask,
} from './files.ts';
import { judgeDatabase } from './databases.ts';
import { judgeFd } from './find.ts';
import { interpreters, judgeInterpreter } from './interpreters.ts';
import type { Judge } from './judge.ts';
import { judgeOptions } from './option-risks.ts';
import { optionRisks } from './option-table.ts';
import { judgePackageRunner, judgePackageTool, packageRunners, packageTools } from './packages.ts';
import { judgeRunner } from './run.ts';
import { moreRunners } from './more-runners.ts';
import { runners, type Runner } from './runners.ts';
import { serviceJudge } from './services.ts';

const judges: Readonly<Record<string, Judge>> = {
  fd: judgeFd,
  fdfind: judgeFd,
  awk: judgeAwk,
  gawk: judgeAwk,
  mawk: judgeAwk,
  nawk: judgeAwk,
  'original-awk': judgeAwk,
  bsdtar: judgeTar,
  make: judgeMake,
  gmake: judgeMake,
  ninja: judgeTask,
  just: judgeTask,
  task: judgeTask,
  rake: judgeTask,
  gradle: judgeTask,
  gradlew: judgeTask,
  ant: judgeTask,
  docker: judgeDocker,
  podman: judgeDocker,
  nerdctl: judgeDocker,
  'docker-compose': judgeDocker,
  kubectl: judgeKubectl,
  oc: judgeKubectl,
  ssh: judgeSsh,
  busybox: judgeBox,
  toybox: judgeBox,
  psql: judgeDatabase('psql'),
  mysql: judgeDatabase('mysql'),
  mariadb: judgeDatabase('mariadb'),
  sqlite3: judgeDatabase('sqlite3'),
  env: judgeEnv,
  crontab: judgeCrontab,
};

/** Other names under which the same program goes. */
const aliases: Readonly<Record<string, string>> = {
  nodejs: 'node',
  pypy3: 'pypy',
  'vim.basic': 'vim',
  'vim.tiny': 'vim',
  'vim.nox': 'vim',
  'vim.gtk3': 'vim',
  'nc.openbsd': 'nc',
  'nc.traditional': 'nc',
  'npm-cli.js': 'npm',
  'npx-cli.js': 'npx',
  'yarn.js': 'yarn',
  yarnpkg: 'yarn',
  'pnpm.cjs': 'pnpm',
  'c++': 'g++',
  c99: 'gcc',
  c89: 'gcc',
  gfortran: 'gcc',
  'ld.gold': 'ld',
  'ld.bfd': 'ld',
  'ld.lld': 'ld',
  gold: 'ld',
  gpg2: 'gpg',
  gpgsm: 'gpg',
  wget2: 'wget',
  tofu: 'terraform',
  glab: 'gh',
  'py.test': 'pytest',
  'clang++': 'clang',
};

/** The name by which the tables know a program: versions and builds taken off. */
export function familyOf(name: string): string {
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (alias !== undefined) return alias;
  // Compilers for other machines: `x86_64-linux-gnu-gcc-13`.
  const own = name.replace(
    /^[a-z0-9_]+(?:-[a-z0-9_]+){1,3}-(?=(?:gcc|g\+\+|ld|ar|nm|strip)(?:-|$))/,
    '',
  );
  const plain = own.replace(
    /^(python|pypy|ruby|perl|php|lua|node|tclsh|pip|gcc|g\+\+|clang|busybox|java|vim|nvim|emacs|dash|bash|zsh|ksh|awk)-?[0-9][0-9.]*m?$/,
    '$1',
  );
  return plain;
}

function runnerOf(family: string): Runner | undefined {
  if (Object.hasOwn(runners, family)) return runners[family];
  return Object.hasOwn(moreRunners, family) ? moreRunners[family] : undefined;
}

/** The judge of a program, or null where nothing special is known about its arguments. */
export function judgeOf(family: string): Judge | null {
  if (/^ld(?:-linux.*|-musl.*|64)?\.so(?:\.\d+)*$/.test(family)) return judgeLoader;
  const own = Object.hasOwn(judges, family) ? judges[family] : undefined;
  if (own !== undefined) return own;
  const interpreter = Object.hasOwn(interpreters, family) ? interpreters[family] : undefined;
  if (interpreter !== undefined) return judgeInterpreter(interpreter, family);
  if (packageRunners.has(family)) return judgePackageRunner(family);
  if (packageTools.has(family)) return judgePackageTool(family);
  const service = serviceJudge(family);
  if (service !== null) return service;
  const runner = runnerOf(family);
  if (runner !== undefined) return judgeRunner(runner);
  const risk = Object.hasOwn(optionRisks, family) ? optionRisks[family] : undefined;
  return risk === undefined ? null : (args) => judgeOptions(args, risk);
}
