import {
  doubt,
  flag,
  has,
  inert,
  pinned,
  pins,
  plainOptions,
  projectFile,
  risk,
  risky,
  writes,
  fromDash,
} from '../../forms.ts';
import { pflag } from '../../syntax.ts';
import type { Command, ProgramRecord } from '../../types.ts';
import { withRoles } from '../shapes.ts';
import { cobra } from '../cobra.ts';
import { actsOnOthers, copied, elsewhere, inside, looks, push } from './commands.ts';
import { containerOptions, execOptions } from './options.ts';

const compose: Readonly<Record<string, Command>> = {
  attach: cobra('Joins a running service.', '--detach-keys= --no-stdin --sig-proxy --index='),
  build: cobra(
    'Builds the images of services.',
    withRoles(
      `--build-arg= --check --compress --force-rm -m|--memory= --no-cache --no-rm --parallel --print --progress=
       --pull -q|--quiet --with-dependencies --provenance= --sbom= --help`,
      {
        '--push': risky(flag, 'data-leaving', 'high', 'Publishes images.'),
        '--ssh --builder': pinned(inert, 'a build gets the keys of ssh, or runs elsewhere'),
      },
    ),
  ),
  'config convert': cobra(
    'Shows the settings of services.',
    withRoles(
      `--environment --format= --hash= --images --networks --no-consistency --no-env-resolution --no-interpolate
       --no-normalize --no-path-resolution --profiles -q|--quiet --resolve-image-digests --services
       --variables --volumes --lock-image-digests --help`,
      { '-o --output': writes },
    ),
    { offers: (reading) => (has(reading, '-o', '--output') ? 'exact' : 'reads') },
  ),
  cp: cobra(
    'Copies files from or to a service.',
    '--all -a|--archive -L|--follow-link --index= --help',
    { finish: copied },
  ),
  create: cobra(
    'Makes containers of services.',
    `--build --force-recreate --no-build --no-recreate --pull=
    --quiet-pull --remove-orphans --scale= -y|--yes`,
  ),
  down: {
    ...cobra('Stops and removes services.', '--remove-orphans --rmi= -t|--timeout= -v|--volumes'),
    finish: (reading) =>
      has(reading, '-v', '--volumes')
        ? {
            risks: [risk('recursive-delete', 'high', 'Deletes volumes with the data in them.')],
            doubts: [doubt('volumes are deleted with the data in them')],
          }
        : {},
  },
  events: looks('Shows events.', '--json --since= --until='),
  exec: inside('Runs a command in a service.', 'compose exec', execOptions),
  images: looks('Lists images of services.', '--format= -q|--quiet'),
  kill: cobra('Ends services.', '--remove-orphans -s|--signal='),
  logs: looks(
    'Shows what services printed.',
    `-f|--follow --index= --no-color --no-log-prefix --since= -n|--tail=
    -t|--timestamps --until=`,
  ),
  ls: looks('Lists projects.', '-a|--all --filter= --format= -q|--quiet'),
  pause: cobra('Halts services.'),
  port: looks('Shows a port of a service.', '--index= --protocol='),
  ps: looks(
    'Lists containers of services.',
    `-a|--all --filter= --format= --no-trunc --orphans -q|--quiet --services
    --status=`,
  ),
  pull: cobra(
    'Fetches images of services.',
    `--ignore-buildable --ignore-pull-failures --include-deps --no-parallel
    --parallel --policy= -q|--quiet`,
  ),
  push,
  restart: cobra('Restarts services.', '--no-deps -t|--timeout='),
  rm: cobra('Removes containers of services.', '-a|--all -f|--force -s|--stop -v|--volumes'),
  run: inside('Runs a command in a new container of a service.', 'compose run', {
    ...containerOptions,
    ...plainOptions(
      '--build -T|--no-TTY --no-deps --quiet-pull --quiet-build --service-ports --use-aliases --remove-orphans',
    ),
  }),
  scale: cobra('Changes how many containers services have.', '--no-deps'),
  start: cobra('Starts services.', '--wait --wait-timeout='),
  stats: looks('Shows what services use.', '-a|--all --format= --no-stream --no-trunc'),
  stop: cobra('Stops services.', '-t|--timeout='),
  top: looks('Shows programs of services.'),
  unpause: cobra('Continues services.'),
  up: cobra(
    'Starts services.',
    `--abort-on-container-exit --abort-on-container-failure --always-recreate-deps
    --attach= --attach-dependencies --build -d|--detach --exit-code-from= --force-recreate --menu --no-attach=
    --no-build --no-color --no-deps --no-log-prefix --no-recreate --no-start --pull= --quiet-build
    --quiet-pull --remove-orphans -V|--renew-anon-volumes --scale= -t|--timeout= --timestamps --wait
    --wait-timeout= -w|--watch -y|--yes`,
  ),
  version: looks('Shows the version.', '-f|--format= --short'),
  volumes: looks('Lists volumes of services.', '--format= -q|--quiet'),
  wait: looks('Waits for services.', '--down-project'),
  watch: cobra('Builds services again when files change.', '--no-up --prune --quiet'),
};

const composeOptions = withRoles(
  `--all-resources --ansi= --compatibility --dry-run --no-ansi --parallel= --profile= --progress= -p|--project-name=
  --verbose -v|--version --help`,
  {
    '--env-file --project-directory --workdir': projectFile,
    '-f --file': {
      ...projectFile,
      parse: (value, word) =>
        value === '-' ? { doubts: [doubt('its settings come from its input', word)] } : {},
    },
  },
);
export const composed: Command = {
  does: 'Works on the services of a project.',
  syntax: pflag,
  options: composeOptions,
  commands: compose,
};

/** They put what they read of this one file into what they print. */
export const composeFiles: NonNullable<ProgramRecord['walks']> = ({ command }) =>
  command.at(-1) === 'config'
    ? {
        follows: false,
        hidden: true,
        depth: 1,
        opens: (file) => /^\.env(?:\.|$)/.test(file),
        roots: ['.'],
      }
    : null;

export const discloses: NonNullable<ProgramRecord['discloses']> = [
  [/(?:^| )(?:config|secret) inspect\b/, 'secrets'],
  [/(?:^| )inspect\b.*\.Env\b/, 'variables of a container'],
  [/(?:^| )config\b.* --(?:environment|variables)\b/, 'variables of the project'],
];

export const dockerCompose: ProgramRecord = {
  names: ['docker-compose', 'podman-compose'],
  discloses,
  obeys: fromDash,
  walks: composeFiles,
  does: composed.does,
  beyond: actsOnOthers,
  project: { caches: [], network: true },
  harmless: ['COMPOSE_PROJECT_NAME'],
  environment: {
    COMPOSE_FILE: 'names files of docker compose',
    COMPOSE_ENV_FILES: 'names files of docker compose',
  },
  grammar: {
    syntax: pflag,
    options: {
      ...composeOptions,
      '-D --debug --tls --tlsverify': pins(elsewhere),
      '-H --host -c --context --tlscacert --tlscert --tlskey': pinned(inert, elsewhere),
    },
    commands: compose,
  },
};
