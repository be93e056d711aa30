import type {
  Analysis,
  CommandRequest,
  Surroundings,
} from '../../../../shared/engine/plan/types.ts';
import { loadAnalyser } from '../../../support/analyser.ts';
import { fakeFiles, type FakeEntry } from './fake-files.ts';

const binary: FakeEntry = { text: '\u007fELF' };

/** Programs of the system, all in /usr/bin. */
const system =
  `awk base64 basename bash bat bsdtar bundle busybox cargo cat chmod chown chroot cmp cp crontab
  curl cut date dash dd df diff dirname doas docker du echo ed egrep env expr fd file find flock gcc
  gdb gem gh git go gpg grep gunzip gzip head helm id install jq just kill kubectl less ln ls make man
  mkdir mkfifo mv mysql nano nc ncat nice nmap node nohup npm npx openssl parallel patch pbcopy perl php
  pip pipx pnpm podman printf ps psql pwd python3.11 rake readlink realpath rg rm rmdir rsync ruby
  scp screen script sed seq service setsid sha256sum sleep socat sort split sqlite3 ssh stat stdbuf
  strace strings su sudo systemctl tac tail tar tcpdump tee terraform test time timeout tmux touch
  toybox tr tree true tsc uname uniq unzip uv uvx vim watch watchexec wc wget which whoami xargs yarn
  zip zsh`.split(/\s+/);

export const workspace = '/home/ann/src/app';

/** A machine in memory, the same on every machine that runs the tests. */
export const machineFiles: Readonly<Record<string, FakeEntry>> = {
  ...Object.fromEntries(system.map((name) => [`/usr/bin/${name}`, binary])),
  '/bin': { to: '/usr/bin' },
  '/usr/bin/sh': { to: 'dash' },
  '/usr/bin/python3': { to: 'python3.11' },
  '/usr/bin/vi': { to: '/etc/alternatives/vi' },
  '/etc/alternatives/vi': { to: '/usr/bin/vim' },
  '/usr/bin/npm': { text: '#!/usr/bin/env node\n' },
  '/usr/bin/tsc': { text: '#!/usr/bin/env -S node --stack-size=9\n' },
  '/usr/bin/notes': { text: 'not a program', mode: 0o644 },
  '/usr/bin/loose': { text: '\u007fELF', mode: 0o757 },
  '/usr/local/bin/docker-compose': binary,
  '/home/ann/bin/tool': { ...binary, uid: 1000 },
  '/home/ann/bin/mygit': { to: '/usr/bin/git' },
  '/dev/null': { text: '', mode: 0o666 },
  '/dev/sda': { text: '', mode: 0o660 },
  '/tmp/evil': binary,
  '/home/ann/.ssh/id_ed25519': { text: 'secret', mode: 0o600 },
  [`${workspace}/package.json`]: { text: '{}', mode: 0o644 },
  [`${workspace}/a.txt`]: { text: 'a', mode: 0o644 },
  [`${workspace}/run.sh`]: { text: '#!/bin/bash\n', uid: 1000 },
  [`${workspace}/git`]: binary,
  [`${workspace}/timeout`]: binary,
  [`${workspace}/mygit`]: { to: '/usr/bin/git' },
  [`${workspace}/linked`]: { to: '/etc/passwd' },
  [`${workspace}/dangling`]: { to: '/etc/cron.d/new' },
  [`${workspace}/sub/deep/file`]: { text: '', mode: 0o644 },
  [`${workspace}/elsewhere`]: { to: '/home/ann/other' },
  '/home/ann/other/file': { text: '', mode: 0o644 },
  '/etc/passwd': { text: '', mode: 0o644 },
};

export const machine: Surroundings = {
  files: fakeFiles(machineFiles),
  platform: 'linux',
  uid: 1000,
  path: ['/home/ann/bin', '/usr/local/bin', '/usr/bin'],
  trustedDirectories: ['/usr/bin', '/usr/local/bin'],
  home: '/home/ann',
  workspaces: [],
  variables: { HOME: '/home/ann', USER: 'ann', SPACED: 'a b', EMPTY: '' },
  shell: '/bin/bash',
};

const analyser = await loadAnalyser();

/** What the analysis makes of a command line, or of a whole request, on the machine above. */
export function analyse(
  request: string | Partial<CommandRequest>,
  changes: Partial<Surroundings> = {},
): Analysis {
  const whole = typeof request === 'string' ? { command: request } : request;
  return analyser.analyse({ cwd: workspace, ...whole }, { ...machine, ...changes });
}

/** The rendering of a plan, or the reason why there is none, as one line for a table. */
export function outcome(request: string | Partial<CommandRequest>): string {
  const analysis = analyse(request);
  return analysis.ok ? analysis.plan.canonical : `opaque: ${analysis.reason}`;
}

/** How far rules may go with a request: its opaque reason, or the strictest trust of its stages. */
export function trustOf(request: string | Partial<CommandRequest>): string {
  const analysis = analyse(request);
  if (!analysis.ok) return analysis.reason;
  const levels = analysis.plan.stages.map((stage) => stage.trust.level);
  if (analysis.plan.stages.some((stage) => stage.executable.kind === 'missing')) return 'missing';
  if (analysis.plan.stages.some(({ code }) => code !== undefined)) return 'this-text';
  return levels.includes('never') ? 'never' : levels.includes('pinned') ? 'pinned' : 'open';
}
