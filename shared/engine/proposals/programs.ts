/**
 * What a person may be offered beyond the exact command, as tables. Whoever is in no table gets the
 * exact command only; whoever is a runner gets nothing.
 */

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

function phrases(list: string): readonly string[] {
  return list.split(', ');
}

/** Programs that run what they are told: no rule is ever offered for them. */
const shells = /^(?:ba|z|da|k|mk|fi|a|c|tc|rba)?sh$/;
const interpreters =
  /^(?:python|pypy|node|nodejs|deno|bun|perl|ruby|php|lua|luajit|tclsh|wish|rscript|r|osascript|pwsh|powershell|java|jshell|ghci?|erl|elixir|iex|irb|gdb|lldb|expect|guile|sbcl|racket|emacs|vim?|nvim|ed|ex|nano|[gmn]?awk)[\d.]*$/;
const wrappers = words(`
  env sudo doas su runuser run0 pkexec nice nohup timeout gtimeout time stdbuf setsid flock xargs
  parallel watch script chroot unshare nsenter strace ltrace ionice chrt taskset busybox toybox ssh
  exec command eval source at batch find fd entr dbus-run-session firejail bwrap caffeinate
  sandbox-exec`);

/** Actions that stay what they are whatever arguments follow; findings still bound them. */
const actions: Readonly<Record<string, readonly string[]>> = {
  gh: [
    ...phrases('pr view, pr list, pr diff, pr checks, pr status, issue view, issue list'),
    ...phrases('run view, run list, run watch, release list, release view, label list'),
  ],
  cargo: [...words('build check test clippy fmt doc tree metadata bench')],
  go: [...words('doc version'), 'mod tidy', 'mod download', 'mod graph'],
  npm: [...words('ls list view outdated why explain')],
  pnpm: [...words('ls list why outdated')],
  yarn: [...words('list why info')],
  pip: [...words('list show freeze check')],
  pip3: [...words('list show freeze check')],
  poetry: [...words('show check version')],
  docker: [
    ...words('ps images logs inspect version info stats top port diff history'),
    ...phrases('compose ps, compose logs, image ls, container ls, network ls, volume ls'),
  ],
  podman: [...words('ps images logs inspect version info stats top port diff history')],
  kubectl: [...words('get describe logs top explain version api-resources cluster-info')],
  helm: [...words('list status history show version')],
  terraform: [...words('validate fmt show output version providers'), 'state list', 'state show'],
  brew: [...words('list info search outdated deps')],
  rustup: ['show', 'check', 'toolchain list', 'component list', 'target list'],
  dotnet: [...words('build test restore list format clean')],
  systemctl: [...words('status is-active is-enabled list-units list-unit-files show cat')],
  apt: [...words('list show search policy')],
  'apt-cache': [...words('search show policy depends rdepends')],
  aws: ['s3 ls', 'sts get-caller-identity', 'ec2 describe-instances'],
  bazel: [...words('build test query')],
  flutter: [...words('analyze test doctor')],
  swift: [...words('build test')],
  mix: [...words('compile test format')],
  conda: [...words('list info search')],
};

/** Programs that only read and print, whatever their arguments: "this program" may be offered. */
const readers = words(`
  nl paste comm join fold expand tac rev stat du df readlink realpath
  basename dirname pwd date cal uname whoami id groups uptime free nproc lscpu ps pgrep pidof echo
  printf true false seq which whereis test [ diff cmp md5sum sha1sum sha256sum sha512sum cksum b2sum
  od hexdump strings jq tr column locale getconf`);

/** Programs whose words are options and file names: "the same with another file" may be offered. */
const fileTools = words(`
  uniq touch file tree shellcheck eslint prettier tsc ruff mypy flake8 pylint gofmt
  rustfmt clang-format yamllint markdownlint hadolint actionlint xmllint`);

/** Programs that change the files they are given: what they mean depends on the folder. */
const changers = words(`
  rmdir ln tee dd install rsync unzip zip gunzip gzip xz truncate shred patch chmod
  chown chgrp`);

/** Programs that do what the files of the project say: a rule holds for the folder and below. */
const projectTools = words(`
  make npm pnpm yarn bun cargo go gradle mvn just task turbo nx bundle rake composer poetry pytest tox
  vitest jest mix dotnet swift flutter bazel cmake ninja rails tsc eslint prettier`);

export function isProjectTool(name: string): boolean {
  return projectTools.has(name);
}

export function isChanger(name: string): boolean {
  return changers.has(name);
}

export function isRunner(name: string): boolean {
  const lower = name.toLowerCase();
  return shells.test(lower) || interpreters.test(lower) || wrappers.has(lower);
}

export function isReader(name: string): boolean {
  return readers.has(name);
}

export function isFileTool(name: string): boolean {
  return readers.has(name) || fileTools.has(name);
}

/** The words at the start that name a known action, or null. */
export function actionOf(name: string, args: readonly string[]): readonly string[] | null {
  const known = Object.hasOwn(actions, name) ? actions[name] : undefined;
  const depth = [1, 2].find((count) => known?.includes(args.slice(0, count).join(' ')) === true);
  return depth === undefined || args.length < depth ? null : args.slice(0, depth);
}
