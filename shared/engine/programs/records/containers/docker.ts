import {
  doubt,
  edits,
  flag,
  has,
  inert,
  merge,
  path,
  pinned,
  pins,
  projectFile,
  reaches,
  reads,
  risk,
  risky,
  secret,
  sets,
  writes,
  fromDash,
} from '../../forms.ts';
import { pflag, pflagCommand } from '../../syntax.ts';
import type { Command, ProgramRecord, Reading, Yield } from '../../types.ts';
import { withRoles } from '../shapes.ts';
import { cobra, group } from '../cobra.ts';
import { actsOnOthers, copied, elsewhere, inside, looks, push } from './commands.ts';
import { composed, composeFiles, discloses, dockerCompose } from './compose.ts';
import { buildOptions, containerOptions, execOptions } from './options.ts';

/** The folder of a build, or an address from which it is fetched. */
function built({ operands, program }: Reading): Yield {
  return merge(
    operands.map(({ text, word, live }) => {
      if (text === '-')
        return { doubts: [doubt(`${program} builds what it is given as input`, word)] };
      if (/^(?:https?|git|ssh):|^git@|^github\.com\//i.test(text))
        return {
          effects: [{ kind: 'reaches', address: text, direction: 'fetches', word }],
          doubts: [doubt(`${program} builds what an address holds`, word)],
        };
      return {
        effects: [path('reads', text, word, { tree: true, runs: true, live: live !== null })],
      };
    }),
  );
}

const build: Command = cobra('Builds an image.', buildOptions, { finish: built });
const pruned = (what: string, level: 'low' | 'high', options = ''): Command => ({
  ...cobra(
    `Removes unused ${what}.`,
    `${options} -a|--all -f|--force --filter= --keep-storage= --verbose`,
  ),
  finish: (reading) => {
    const data = level === 'high' || has(reading, '--volumes');
    const text = data ? 'Deletes volumes with the data in them.' : `Deletes all unused ${what}.`;
    return {
      risks: [risk('recursive-delete', data ? 'high' : 'low', text)],
      doubts: data ? [doubt('volumes are deleted with the data in them')] : [],
    };
  },
});
const container: Readonly<Record<string, Command>> = {
  attach: cobra('Joins a running container.', '--detach-keys= --no-stdin --sig-proxy', {
    operands: { rest: pinned(inert, 'what is typed runs in the container') },
  }),
  commit: cobra(
    'Makes an image of a container.',
    '-a|--author= -c|--change= -m|--message= -p|--pause',
  ),
  cp: cobra(
    'Copies files from or to a container.',
    '-a|--archive -L|--follow-link -q|--quiet --overwrite --help',
    {
      finish: copied,
    },
  ),
  create: inside('Makes a container.', 'create', containerOptions),
  diff: looks('Shows what changed in a container.', '--format='),
  exec: inside('Runs a command in a container.', 'exec', execOptions),
  export: cobra('Packs the files of a container.', { '-o --output': writes, '--help': flag }),
  inspect: looks('Shows details.', '-f|--format= -s|--size --type='),
  kill: cobra('Ends containers.', '-s|--signal= -a|--all'),
  logs: looks(
    'Shows what a container printed.',
    `--color --details -f|--follow --names --since=
    -n|--tail= -t|--timestamps --until=`,
  ),
  'ls list ps': looks(
    'Lists containers.',
    `-a|--all --external -f|--filter= --format= -n|--last= --no-trunc
    --noheading --ns -p|--pod -q|--quiet -s|--size --sort= --sync -w|--watch=`,
  ),
  pause: cobra('Halts containers.', '-a|--all'),
  port: looks('Shows ports of a container.', '-a|--all'),
  prune: pruned('containers', 'low'),
  rename: cobra('Renames a container.'),
  restart: cobra('Restarts containers.', '-a|--all -t|--time|--timeout= -s|--signal='),
  'rm remove': cobra(
    'Removes containers.',
    '-a|--all -f|--force -l|--link -v|--volumes -t|--time= -i|--ignore',
  ),
  run: inside('Runs a command in a new container.', 'run', containerOptions),
  start: cobra('Starts containers.', '-a|--attach --detach-keys= -i|--interactive --all'),
  stats: looks(
    'Shows what containers use.',
    '-a|--all --format= --no-stream --no-trunc --no-reset -i|--interval=',
  ),
  stop: cobra('Stops containers.', '-a|--all -t|--time|--timeout= -s|--signal= -i|--ignore'),
  top: { ...looks('Shows programs of a container.'), syntax: pflagCommand },
  unpause: cobra('Continues containers.', '-a|--all'),
  update: cobra(
    'Changes limits of containers.',
    `--blkio-weight= --cpu-period= --cpu-quota= --cpu-rt-period=
    --cpu-rt-runtime= -c|--cpu-shares= --cpus= --cpuset-cpus= --cpuset-mems= -m|--memory=
    --memory-reservation= --memory-swap= --pids-limit= --restart= --kernel-memory=`,
  ),
  wait: looks('Waits for containers.', '--condition= -i|--interval='),
};

const image: Readonly<Record<string, Command>> = {
  build,
  history: looks(
    'Shows how an image was made.',
    '--format= -H|--human --no-trunc -q|--quiet --platform=',
  ),
  import: cobra(
    'Makes an image of an archive.',
    '-c|--change= -m|--message= --platform= -q|--quiet --help',
    {
      operands: { first: [pinned(reads, 'an image is made of what others packed')], rest: inert },
    },
  ),
  inspect: container['inspect'] ?? build,
  load: cobra(
    'Loads images from an archive.',
    { '-i --input': reads, '-q --quiet --help': flag, '--platform': inert },
    {
      finish: (reading) =>
        has(reading, '-i', '--input')
          ? {}
          : { doubts: [doubt('docker loads images from what it is given as input')] },
    },
  ),
  'ls list': looks(
    'Lists images.',
    `-a|--all --digests -f|--filter= --format= --no-trunc --noheading -q|--quiet
    --tree --history --sort=`,
  ),
  prune: pruned('images', 'low'),
  pull: cobra(
    'Fetches an image.',
    '-a|--all-tags --disable-content-trust --platform= -q|--quiet --arch= --os= --tls-verify',
    {
      operands: { rest: reaches('fetches') },
    },
  ),
  push,
  'rm remove': cobra('Removes images.', '-a|--all -f|--force --no-prune --platform= -i|--ignore'),
  save: cobra('Packs images.', {
    '-o --output': writes,
    '--help -q --quiet --compress': flag,
    '--platform --format': inert,
  }),
  tag: cobra('Names an image.'),
};

const listed = '-f|--filter= --format= -q|--quiet --no-trunc';
const looked = {
  'ls list': looks('Lists them.', listed),
  inspect: looks('Shows details.', '-f|--format= --pretty -v|--verbose'),
};

const commands: Readonly<Record<string, Command>> = {
  ...Object.fromEntries(
    Object.entries(container).filter(([name]) => !name.startsWith('ls') && name !== 'prune'),
  ),
  ps: container['ls list ps'] ?? build,
  build,
  compose: composed,
  container: group('Works on containers.', container),
  image: group('Works on images.', image),
  builder: group('Works on builds.', { build, prune: pruned('build data', 'low') }),
  buildx: group('Works on builds.', {
    'build b': build,
    'bake f': cobra(
      'Builds what a file describes.',
      withRoles(
        '--check --list= --load --no-cache --print --progress= --provenance= --pull --sbom= --set= --help',
        {
          '-f --file': projectFile,
          '--metadata-file': writes,
          '--push': risky(flag, 'data-leaving', 'high', 'Publishes images.'),
          '--allow --builder': pinned(inert, elsewhere),
          '--set': pinned(inert, 'an option changes what is built'),
        },
      ),
      {
        operands: { rest: inert },
        finish: () => ({
          doubts: [doubt('its file can read and write any folder of this machine')],
        }),
      },
    ),
    du: looks('Shows what builds use.', '--filter= --verbose --format= --timeout='),
    ls: looks('Lists builders.', '--format= --no-trunc'),
    inspect: looks('Shows a builder.', '--bootstrap'),
    imagetools: group('Works on images of registries.', {
      inspect: looks('Shows an image.', '--format= --raw'),
    }),
    prune: pruned('build data', 'low', '--max-used-space= --min-free-space= --reserved-space='),
    version: looks('Shows the version.'),
  }),
  context: group('Chooses which machine is worked on.', {
    'ls list': looks('Lists machines.', '--format= -q|--quiet'),
    inspect: looks('Shows a machine.', '-f|--format='),
    show: looks('Shows the machine in use.'),
    use: cobra('Chooses the machine.', '--help', { operands: { rest: sets } }),
  }),
  events: looks('Shows events.', '-f|--filter= --format= --since= --until= --no-trunc --stream'),
  history: image['history'] ?? build,
  images: image['ls list'] ?? build,
  import: image['import'] ?? build,
  info: looks('Shows how the machine is set up.', '-f|--format= -D|--debug'),
  load: image['load'] ?? build,
  login: cobra(
    'Logs in to a registry.',
    {
      '-p --password': secret,
      '--password-stdin --tls-verify --get-login -v --verbose --help': flag,
      '-u --username': inert,
      '--authfile --cert-dir': edits,
    },
    { operands: { rest: reaches('sends') } },
  ),
  logout: cobra('Logs out of a registry.', '-a|--all'),
  manifest: group('Works on manifests.', {
    inspect: looks('Shows a manifest.', '--insecure -v|--verbose --tls-verify'),
  }),
  network: group('Works on networks.', {
    ...looked,
    connect: cobra(
      'Joins a network.',
      '--alias= --driver-opt= --gw-priority= --ip= --ip6= --link= --link-local-ip=',
    ),
    create: cobra(
      'Makes a network.',
      `--attachable --aux-address= --config-from= --config-only -d|--driver= --gateway=
      --ingress --internal --ip-range= --ipam-driver= --ipam-opt= --ipv4 --ipv6 --label= --scope= --subnet=`,
    ),
    disconnect: cobra('Leaves a network.', '-f|--force'),
    prune: pruned('networks', 'low'),
    'rm remove': cobra('Removes networks.', '-f|--force'),
  }),
  pull: image['pull'] ?? build,
  push,
  rmi: image['rm remove'] ?? build,
  save: image['save'] ?? build,
  search: looks(
    'Searches for images.',
    '-f|--filter= --format= --limit= --no-trunc --list-tags --tls-verify',
  ),
  system: group('Looks at and cleans up the machine.', {
    df: looks('Shows what is used.', '--format= -v|--verbose'),
    events: looks('Shows events.', '-f|--filter= --format= --since= --until='),
    info: looks('Shows how the machine is set up.', '-f|--format='),
    prune: pruned('data', 'low', '--volumes --build --external'),
  }),
  tag: image['tag'] ?? build,
  trust: group('Shows signatures.', { inspect: looks('Shows signatures.', '--pretty') }),
  version: looks('Shows the version.', '-f|--format='),
  volume: group('Works on volumes.', {
    ...looked,
    create: cobra('Makes a volume.', {
      '--label --name': inert,
      '--help': flag,
      '-d --driver -o --opt': pinned(inert, 'options of a volume can open folders of this machine'),
    }),
    prune: pruned('volumes', 'high'),
    'rm remove': {
      ...cobra('Removes volumes.', '-a|--all -f|--force -t|--time='),
      finish: () => ({
        risks: [risk('recursive-delete', 'high', 'Deletes volumes with the data in them.')],
        doubts: [doubt('volumes are deleted with the data in them')],
      }),
    },
  }),
  ...Object.fromEntries(
    ['service', 'stack', 'node', 'secret', 'config', 'swarm'].map((name) => [
      name,
      group('Works on a swarm.', {
        ...looked,
        ps: looks('Lists tasks.', `${listed} --no-resolve`),
        services: looks('Lists services.', listed),
        logs: looks(
          'Shows what a service printed.',
          `--details -f|--follow --no-resolve --no-task-ids --no-trunc --raw
          --since= -n|--tail= -t|--timestamps`,
        ),
      }),
    ]),
  ),
};

const docker: ProgramRecord = {
  names: ['docker', 'podman', 'nerdctl'],
  discloses,
  heeds: ({ command }) => (command.at(-1) === 'bake' ? bakeFiles : []),
  obeys: fromDash,
  walks: composeFiles,
  does: 'Works on containers and images.',
  elsewhere: true,
  beyond: actsOnOthers,
  project: { caches: [], network: true, anywhere: true },
  environment: {
    DOCKER_HOST: 'decides which machine docker commands',
    DOCKER_CONFIG: 'names settings and plug-ins of docker',
    DOCKER_CONTEXT: 'decides which machine docker commands',
    DOCKER_CLI_PLUGIN_EXTRA_DIRS: 'names plug-ins of docker',
    CONTAINER_HOST: 'decides which machine podman commands',
    'DOCKER_*': 'decides which machine docker commands, and whom it trusts',
    'BUILDKIT_*': 'decides which machine builds',
    'CONTAINERS_*': 'names settings of podman',
    'COMPOSE_*': 'names files of docker compose',
    'BUILDX_*': 'names settings and plug-ins of docker',
    BUILDX_BUILDER: 'decides which machine builds',
    BUILDX_CONFIG: 'names settings and plug-ins of docker',
    COMPOSE_FILE: 'names files of docker compose',
    COMPOSE_ENV_FILES: 'names files of docker compose',
  },
  harmless: ['DOCKER_BUILDKIT', 'BUILDKIT_PROGRESS', 'DOCKER_DEFAULT_PLATFORM', 'DOCKER_CLI_HINTS'],
  grammar: {
    syntax: { ...pflag, permutes: false },
    options: {
      '-v --version --help': flag,
      '-D --debug --tls --tlsverify --noout --syslog -r --remote': pins(elsewhere),
      '-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey --url': pinned(
        inert,
        elsewhere,
      ),
    },
    commands,
  },
};

/** By which `docker buildx bake` finds what to build. */
const bakeFiles =
  `compose.yaml compose.yml docker-compose.yml docker-compose.yaml docker-bake.json docker-bake.hcl
  docker-bake.override.json docker-bake.override.hcl`.split(/\s+/);

export const dockerPrograms: readonly ProgramRecord[] = [docker, dockerCompose];
