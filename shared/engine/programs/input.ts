import type { Command } from '../parse/syntax.ts';
import type { Stage, Trust } from '../plan/types.ts';
import { fromDash } from './forms.ts';
import { recordOf } from './list.ts';

/**
 * Programs that do what they are given as input: patches, manifests, queries, archives, tables of
 * jobs. Where the input comes from another machine, that machine decides what is done, so that a
 * rule for the program has not thought of it.
 */

type Obeys = (words: readonly string[], line: string) => boolean;

const always: Obeys = () => true;
const unless =
  (options: RegExp): Obeys =>
  (words) =>
    !words.some((word) => options.test(word));

/** A place for things that do not last is all that an archive can fill there. */
const toTemporary = /(?:^| )(?:-C|-d|--directory)[ =]?\/(?:var\/)?tmp(?:\/|$| )/;
const tar: Obeys = (words, line) => {
  const [first = ''] = words;
  const unpacks =
    /^-?[A-Za-z]*x/.test(first) || words.some((word) => /^(?:-[a-zA-Z]*x|--ext|--get)/.test(word));
  return unpacks && !toTemporary.test(line) && !/(?:^| )-?[A-Za-z]*O/.test(line);
};

const query = unless(
  /^-(?:[A-Za-z]*[ce]|l|V)$|^-[ce]|^--(?:command|execute|eval|list|version|help|file)/,
);
const compiler: Obeys = fromDash;

const obeying: Readonly<Record<string, Obeys>> = {
  patch: unless(/^(?:-i|--input)/),
  gpatch: unless(/^(?:-i|--input)/),
  kustomize: fromDash,
  nomad: fromDash,
  consul: fromDash,
  terraform: fromDash,
  tofu: fromDash,
  ansible: fromDash,
  psql: query,
  pgcli: query,
  mysql: query,
  mariadb: query,
  mongosh: query,
  mongo: query,
  'redis-cli': query,
  'valkey-cli': query,
  'clickhouse-client': query,
  duckdb: query,
  sqlite3: (words) => words.filter((word) => !word.startsWith('-')).length < 2,
  tar,
  bsdtar: tar,
  gtar: tar,
  cpio: always,
  pax: (words) => words.some((word) => /^-[a-z]*r/.test(word)),
  unzip: fromDash,
  bsdunzip: fromDash,
  crontab: always,
  at: always,
  batch: always,
  gpg: (words) => words.some((word) => /^--(?:import|receive|recv)/.test(word)),
  gcc: compiler,
  cc: compiler,
  'g++': compiler,
  clang: compiler,
  'clang++': compiler,
  rustc: compiler,
  tcc: compiler,
  bc: always,
  dc: always,
  ed: always,
  ex: always,
  gnuplot: always,
  systemctl: fromDash,
  iptables: always,
  'iptables-restore': always,
  nft: fromDash,
};

/** They bring what another machine says, whatever their record tells of addresses. */
const bringing: ReadonlySet<string> = new Set(
  `curl wget wget2 http https xh httpie aria2c nc ncat netcat socat telnet ftp sftp lynx w3m links elinks
  aws gsutil gcloud az rclone`.split(/\s+/),
);

/** They ask on their input, and by the answer start an editor or a debugger, or delete. */
const conversing: Readonly<Record<string, Obeys>> = {
  git: (words) => {
    const command = words.find((word) =>
      /^(?:add|stage|checkout|restore|reset|stash|commit|clean|rebase|merge|cherry-pick|revert|am)$/.test(
        word,
      ),
    );
    return (
      command !== undefined &&
      words.some((word) => /^-[a-zA-Z]*[pie]$|^--(?:pa|int?|edit?|cont|res)/.test(word))
    );
  },
  pytest: (words) => words.some((word) => /^--(?:pdb|trace)$/.test(word)),
  'py.test': (words) => words.some((word) => /^--(?:pdb|trace)$/.test(word)),
};

/** Whether a command says by itself what its input is. */
export function isGivenInput({ redirects }: Command): boolean {
  return redirects.some((one) => one.kind === 'text' || one.operator === '<');
}

/** How far a stage may be trusted that is given an input by the command itself. */
export function trustOnFed(stage: Stage): Trust {
  const name = nameOf(stage);
  const words = stage.argv.slice(1);
  if (stage.trust.level === 'never' || !Object.hasOwn(conversing, name)) return stage.trust;
  if (conversing[name]?.(words, words.join(' ')) !== true) return stage.trust;
  return {
    level: 'never',
    reason: `${name} asks on its input, and answers can run other programs`,
  };
}

function nameOf({ argv }: Stage): string {
  return (argv[0] ?? '').replace(/^.*\//s, '');
}

/** Whether what a stage prints may come from another machine. */
export function bringsFromElsewhere(stage: Stage): boolean {
  return (
    (stage.effects?.reaches.length ?? 0) > 0 ||
    bringing.has(nameOf(stage)) ||
    recordOf(nameOf(stage))?.brings === true
  );
}

/** How far a stage may be trusted whose input comes from another machine. */
export function trustOnInput(stage: Stage): Trust {
  const name = nameOf(stage);
  const obeys = recordOf(name)?.obeys ?? (Object.hasOwn(obeying, name) ? obeying[name] : undefined);
  const words = stage.argv.slice(1);
  if (stage.trust.level === 'never' || obeys?.(words, words.join(' ')) !== true) return stage.trust;
  return {
    level: 'never',
    reason: `${name} does what its input says, which comes from another machine`,
  };
}
