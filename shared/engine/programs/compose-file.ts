import { joinPath, parentOf } from '../plan/paths.ts';
import type { FileView } from '../plan/types.ts';
import { documentOf, isTable, listOf, tableOf, takenIn, type Table } from './composition.ts';
import { open, pinned, type Finding } from './finding.ts';
import { readText } from './repository/find.ts';
import type { IsInside } from './judge.ts';
import type { Reading } from './types.ts';

/** Names by which `docker compose` finds its files, in the folder or in one above it. */
const usual = ['compose', 'compose.override', 'docker-compose', 'docker-compose.override'].flatMap(
  (name) => [`${name}.yaml`, `${name}.yml`],
);

/** Commands that make containers or images of what the file says. */
const making = /^(?:up|create|run|scale|watch|build)$/;
/** Commands that only show something. */
const showing =
  /^(?:attach|events|images|logs|ls|port|ps|stats|top|version|volumes|wait|config|convert)$/;

/**
 * A compose file says what the options of `docker run` say: it can hand a container the whole disk,
 * and with it the rights of root. It lies in the project, where an agent writes, so it is judged
 * like those options: pinned where a service gets more than the project and a network of its own.
 * What is not known to be harmless counts as more.
 * Source: the Compose Specification.
 */
export function judgeComposeFile(
  { program, command, options }: Reading,
  at: {
    readonly cwd: string | null;
    readonly home: string;
    readonly files: FileView;
    readonly isInside: IsInside;
    /** Whether an earlier part of the command may have changed files. */
    readonly changed: boolean;
  },
): Finding {
  const composes = /^(?:docker|podman)-compose$/.test(program) || command[0] === 'compose';
  const verb = command.at(-1) ?? '';
  if (!composes || !/^(?:docker|podman)/.test(program) || verb === 'compose' || showing.test(verb))
    return open;
  const { cwd, files } = at;
  if (cwd === null) return unread('the folder of the compose file is not known');
  if (at.changed) return unread('an earlier part of the command may change the compose file');
  const valuesOf = (...names: readonly string[]): readonly string[] =>
    options.flatMap(({ name, value }) => (names.includes(name) && value !== null ? [value] : []));
  const below = (path: string): string => (path.startsWith('/') ? path : joinPath(cwd, path));
  const given = valuesOf('-f', '--file').map(below);
  const [folder = cwd] = valuesOf('--project-directory', '--workdir').map(below);
  const found = given.length > 0 ? given : usualFiles(folder, files);
  if (found.length === 0) return unread('there is no compose file that says what it starts');
  const base =
    valuesOf('--project-directory', '--workdir').length > 0 ? folder : parentOf(found[0] ?? '/');
  const [settings = `${base}/.env`] = valuesOf('--env-file').map(below);
  if (files.facts(settings) !== null && redirects.test(readText(files, settings) ?? 'COMPOSE_'))
    return unread(`${settings} sets which files or which machine compose works with`);
  for (const file of found) {
    const why = whyNot(file, { ...at, base, makes: making.test(verb) });
    if (why === null) continue;
    const read = takenIn(found, base, files);
    return {
      ...pinned(`${file.slice(file.lastIndexOf('/') + 1)} ${why}`),
      files: read === null ? null : [...read, settings, `${base}/.env`],
    };
  }
  return open;
}

/** Pinned, and no answer can be held to what the files say. */
function unread(why: string): Finding {
  return { ...pinned(why), files: null };
}

/** Settings in `.env` that lead compose to other files, another machine or other programs. */
const redirects =
  /^\s*(?:export\s+)?(?!COMPOSE_(?:PROJECT_NAME|PROFILES|HTTP_TIMEOUT|PARALLEL_LIMIT|ANSI)\b|DOCKER_(?:BUILDKIT|DEFAULT_PLATFORM)\b)(?:COMPOSE|DOCKER|BUILDX|BUILDKIT|PODMAN)_/m;

function usualFiles(from: string, files: FileView): readonly string[] {
  for (let folder = from; ; folder = parentOf(folder)) {
    const there = usual
      .map((name) => `${folder === '/' ? '' : folder}/${name}`)
      .filter((path) => files.facts(path) !== null);
    if (there.length > 0 || folder === '/') return there;
  }
}

interface Look {
  readonly files: FileView;
  readonly home: string;
  readonly isInside: IsInside;
  /** The folder that relative paths of the file start from. */
  readonly base: string;
  readonly makes: boolean;
}

/** A clause that the name of the file goes in front of; null where it asks for nothing of this machine. */
function whyNot(file: string, look: Look): string | null {
  const document = documentOf(file, look.files);
  if (document === null) return 'is not understood';
  const services = Object.entries(tableOf(document['services']));
  const started = services.find(([, one]) => isTable(one) && 'provider' in one);
  if (started !== undefined) return `starts a program of this machine for ${started[0]}`;
  if ('include' in document) return 'takes in other files';
  const extended = services.find(([, one]) => isTable(one) && !isOwn(one['extends']));
  if (extended !== undefined) return `takes in another file for ${extended[0]}`;
  if (!look.makes) return null;
  return (
    unknownKey(document, topKeys) ??
    services.reduce<string | null>(
      (why, [name, one]) => why ?? because(name, whyService(one, look)),
      null,
    ) ??
    whyShared(document, look)
  );
}

function isOwn(value: unknown): boolean {
  if (value === undefined || typeof value === 'string') return true;
  return isTable(value) && Object.keys(value).every((key) => key === 'service');
}

function because(name: string, why: string | null): string | null {
  return why === null ? null : `${why} (${name})`;
}

const topKeys = words('version name services networks volumes secrets configs');

/** Keys of a service that reach nothing outside of its container, whatever they hold. */
const harmless = words(
  `image container_name command entrypoint environment ports expose depends_on networks restart healthcheck
  labels annotations working_dir user hostname domainname links external_links stop_signal stop_grace_period
  tty stdin_open init read_only tmpfs shm_size mem_limit memswap_limit mem_reservation mem_swappiness cpus
  cpu_count cpu_percent cpu_shares cpu_period cpu_quota cpu_rt_runtime cpu_rt_period cpuset pids_limit profiles
  platform pull_policy scale secrets configs extra_hosts dns dns_search dns_opt ulimits cap_drop oom_score_adj
  oom_kill_disable attach mac_address extends isolation`,
);

function whyService(service: unknown, look: Look): string | null {
  if (service === null || service === undefined) return null;
  if (!isTable(service)) return 'is not understood';
  for (const [key, value] of Object.entries(service)) {
    if (harmless.has(key) || key.startsWith('x-')) continue;
    const why = Object.hasOwn(serviceKeys, key)
      ? (serviceKeys[key]?.(value, look) ?? null)
      : `sets ${key}`;
    if (why !== null) return why;
  }
  return null;
}

type Check = (value: unknown, look: Look) => string | null;

const serviceKeys: Readonly<Record<string, Check>> = {
  build: whyBuild,
  volumes: (value, look) => firstOf(value, (one) => whyVolume(one, look)),
  env_file: (value, look) =>
    firstOf(value, (one) => whyPath(isTable(one) ? one['path'] : one, look)),
  privileged: (value) => (value === false ? null : 'gives the rights of this machine'),
  network_mode: (value) => ownSpace(value, 'shares the network of this machine'),
  pid: (value) => ownSpace(value, 'sees the processes of this machine'),
  ipc: (value) => ownSpace(value, 'shares memory with this machine'),
  uts: (value) => ownSpace(value, 'shares the name of this machine'),
  cgroup: (value) => (value === 'private' ? null : 'shares the groups of this machine'),
  security_opt: (value) =>
    firstOf(value, (one) =>
      one === 'no-new-privileges:true' || one === 'no-new-privileges=true'
        ? null
        : 'loosens what a container is held to',
    ),
  logging: (value) =>
    isTable(value) && /^(?:json-file|local|none)$/.test(textOf(value['driver'], 'json-file'))
      ? null
      : 'sends what it prints elsewhere',
  deploy: whyDeployed,
  develop: (value, look) =>
    isTable(value)
      ? (unknownKey(value, words('watch')) ??
        firstOf(value['watch'], (one) =>
          isTable(one)
            ? (unknownKey(one, words('action path target ignore include initial_sync')) ??
              whyPath(one['path'], look))
            : 'is not understood',
        ))
      : 'is not understood',
};

function ownSpace(value: unknown, why: string): string | null {
  return typeof value === 'string' &&
    /^(?:none|bridge|default|private|shareable|service:[\w.-]+)$/.test(value)
    ? null
    : why;
}

const buildKeys = words(
  `context dockerfile dockerfile_inline args target labels shm_size tags platforms pull no_cache extra_hosts
  isolation cache_from secrets additional_contexts network ulimits provenance sbom`,
);

function whyBuild(value: unknown, look: Look): string | null {
  if (!isTable(value)) return whyPath(value, look);
  const contexts = value['additional_contexts'];
  const named: readonly unknown[] = isTable(contexts)
    ? Object.values(contexts)
    : listOf(contexts).map((one) => textOf(one, '').replace(/^[^=]*=/, ''));
  return (
    unknownKey(value, buildKeys) ??
    (value['context'] === undefined ? null : whyPath(value['context'], look)) ??
    (value['dockerfile'] === undefined
      ? null
      : whyPath(value['dockerfile'], {
          ...look,
          base: joinPath(look.base, textOf(value['context'], '.')),
        })) ??
    (/^(?:none|default|bridge)$/.test(textOf(value['network'], 'none'))
      ? null
      : 'builds in the network of this machine') ??
    firstOf(named, (one) =>
      typeof one === 'string' && /^(?:docker-image:\/\/|service:)/.test(one)
        ? null
        : whyPath(one, look),
    )
  );
}

/** `./src:/app:ro`, `data:/var/lib/data`, `/only/inside`, or the same as a table. */
function whyVolume(value: unknown, look: Look): string | null {
  if (isTable(value)) {
    const { type = 'volume', source } = value;
    if (type === 'volume' || type === 'tmpfs' || type === 'image')
      return typeof source === 'string' && /[/~$\\]/.test(source) && type !== 'image'
        ? 'names a volume that is not understood'
        : null;
    return type === 'bind' ? whyPath(source, look) : 'names a volume that is not understood';
  }
  if (typeof value !== 'string') return 'names a volume that is not understood';
  const colon = value.indexOf(':');
  // A variable can bring a colon, and with it a folder of this machine.
  if (colon === -1) return value.includes('$') ? 'names a folder by a variable' : null;
  const source = value.slice(0, colon);
  return /^[A-Za-z0-9][\w.-]*$/.test(source) ? null : whyPath(source, look);
}

const deployKeys = words(
  'mode replicas labels endpoint_mode placement restart_policy update_config rollback_config resources',
);

function whyDeployed(value: unknown): string | null {
  if (!isTable(value)) return 'is not understood';
  const reserved = tableOf(tableOf(value['resources'])['reservations'])['devices'];
  return (
    unknownKey(value, deployKeys) ??
    firstOf(reserved, (one) =>
      isTable(one) && one['driver'] === 'nvidia' ? null : 'gives devices of this machine',
    )
  );
}

/** Volumes, networks, secrets and files that services share. */
function whyShared(document: Table, look: Look): string | null {
  for (const [name, volume] of Object.entries(tableOf(document['volumes']))) {
    const { driver = 'local', driver_opts: given } = tableOf(volume);
    const opts = tableOf(given);
    const device = opts['device'];
    if (driver !== 'local') return because(name, 'keeps a volume by a program of its own');
    if (Object.keys(opts).length > 0 && opts['type'] !== 'tmpfs') {
      const why = device === undefined ? 'mounts what is not understood' : whyPath(device, look);
      if (why !== null) return because(name, why);
    }
  }
  for (const [name, network] of Object.entries(tableOf(document['networks']))) {
    const { driver = 'bridge', driver_opts: given, name: called = name } = tableOf(network);
    if (!/^(?:bridge|overlay|none)$/.test(textOf(driver, '')) || called === 'host')
      return because(name, 'reaches the network of this machine');
    if (Object.keys(tableOf(given)).some((key) => /parent|host_binding/.test(key)))
      return because(name, 'reaches the network of this machine');
  }
  for (const group of ['secrets', 'configs'])
    for (const [name, one] of Object.entries(tableOf(document[group]))) {
      const file = tableOf(one)['file'];
      const why = file === undefined ? null : whyPath(file, look);
      if (why !== null) return because(name, why);
    }
  return null;
}

/** A folder or file of this machine that is handed over: of the project, and no more than that. */
function whyPath(value: unknown, { isInside, home, base, files }: Look): string | null {
  if (typeof value !== 'string') return 'names a folder that is not understood';
  if (value.includes('$')) return 'names a folder by a variable';
  if (/^[a-z][\w+.-]*:|^git@|^\\|^[A-Za-z]:/i.test(value)) return 'takes what lies elsewhere';
  const path = value.startsWith('~') ? joinPath(home, value.slice(1)) : joinPath(base, value);
  const real = files.realPath(path) ?? path;
  const holdsHome = real === '/' || home === real || home.startsWith(`${real}/`);
  return !holdsHome && isInside(path)
    ? null
    : `hands over ${value}, which is not of the project alone`;
}

/** Null where every entry of a list, or the only value, is fine. */
function firstOf(value: unknown, why: (one: unknown) => string | null): string | null {
  for (const one of listOf(value)) {
    const found = why(one);
    if (found !== null) return found;
  }
  return null;
}

function unknownKey(table: Table, known: ReadonlySet<string>): string | null {
  const key = Object.keys(table).find((one) => !known.has(one) && !one.startsWith('x-'));
  return key === undefined ? null : `sets ${key}`;
}

/** What is not text comes out as a word that fits nothing. */
function textOf(value: unknown, absent: string): string {
  if (value === undefined || value === null) return absent;
  return typeof value === 'string' ? value : '\0';
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
