import {
  doubt,
  merge,
  parsed,
  path,
  pinned,
  reads,
  risk,
  risky,
  secret,
  writes,
  flag,
  inert,
  projectFile,
} from '../../forms.ts';
import type { Options, Use, Yield } from '../../types.ts';
import { withRoles } from '../shapes.ts';

/** Folders through which a container has all of this machine. */
const wide =
  /^(?:\/|\/(?:etc|root|home|var|usr|proc|sys|dev|boot)(?:\/)?|.*\/(?:docker|podman|containerd|crio)\.sock|~\/?)$/;

function mounted(host: string, word: number): Yield {
  const effects = [path('edits', host, word, { tree: true })];
  if (!wide.test(host)) return { effects };
  const text = `Opens ${host} of this machine to the container.`;
  return { effects, risks: [risk('privilege', 'high', text, [word])] };
}

/** `host:container:options`; a name instead of a path is a volume. */
const volume: Use = parsed((value, word) => {
  const [host = ''] = value.split(':');
  return value.includes(':') && /[/~.\\]/.test(host) ? mounted(host, word) : {};
});

/** `type=bind,src=…,dst=…`; also written as a line of CSV. */
const mount: Use = parsed((value, word) => {
  if (value.includes('"')) return { doubts: [doubt('a mount is quoted', word)] };
  const parts = value.split(',').map((part) => part.split(/=(.*)/s, 2));
  const source = parts.find(([key = '']) => /^(?:src|source)$/i.test(key.trim()))?.[1];
  const type = parts.find(([key = '']) => /^type$/i.test(key.trim()))?.[1] ?? 'volume';
  const options = parts.some(([key = '']) => /^volume-(?:opt|driver)$/i.test(key.trim()));
  return merge([
    source === undefined || (type === 'volume' && !/[/~.]/.test(source))
      ? {}
      : mounted(source, word),
    options ? { doubts: [doubt('a volume of a mount has options', word)] } : {},
  ]);
});

const rights = 'gives a container rights over this machine';
const grants = (use: Use): Use =>
  risky(
    pinned(use, `an option ${rights}`),
    'privilege',
    'high',
    'Gives the container the rights of this machine.',
  );

/** `--pid=host`, `--network host`: another name space is one of a container. */
const space: Use = parsed((value, word) =>
  /^(?:host|ns:.*)$/i.test(value)
    ? {
        doubts: [doubt(`an option ${rights}`, word)],
        risks: [
          risk('privilege', 'high', 'Gives the container the rights of this machine.', [word]),
        ],
      }
    : {},
);

/** What `run` and `create` have in common. */
export const containerOptions: Options = withRoles(
  `--add-host= --annotation= --arch= -a|--attach= --blkio-weight= --blkio-weight-device=
  --cap-drop= --cgroup-conf= --cgroup-parent= --cgroupns= --cgroups= --cpu-count= --cpu-percent=
  --cpu-period= --cpu-quota= --cpu-rt-period= --cpu-rt-runtime= -c|--cpu-shares= --cpus= --cpuset-cpus=
  --cpuset-mems= -d|--detach --detach-keys= --device-read-bps= --device-read-iops= --device-write-bps=
  --device-write-iops= --disable-content-trust --dns= --dns-opt= --dns-option= --dns-search= --domainname=
  --entrypoint= -e|--env= --env-file= --env-merge= --expose= --gpus= --health-cmd= --health-interval=
  --health-on-failure= --health-retries= --health-start-interval= --health-start-period=
  --health-timeout= -h|--hostname= --http-proxy --image-volume= --init -i|--interactive
  --io-maxbandwidth= --io-maxiops= --ip= --ip6= --isolation= --kernel-memory= -l|--label= --label-file=
  --link= --link-local-ip= --log-driver= --mac-address= -m|--memory= --memory-reservation=
  --memory-swap= --memory-swappiness= --name= --network-alias= --net-alias= --no-healthcheck --no-hosts
  --oom-kill-disable --oom-score-adj= --os= --passwd --pids-limit= --platform= --pod= -p|--publish=
  -P|--publish-all --pull= -q|--quiet --read-only --read-only-tmpfs --replace --requires= --restart=
  --rm --rmi --sdnotify= --shm-size= --sig-proxy --stop-signal= --stop-timeout= --storage-opt= --sysctl=
  --systemd= --timeout= --tls-verify --tmpfs= -t|--tty --tz= --ulimit= --umask= --unsetenv=
  --unsetenv-all -u|--user= --variant= --volumes-from= -w|--workdir= --help`,
  {
    '-v --volume': volume,
    '--mount': mount,
    '--env-file': reads,
    '--label-file': reads,
    '--cidfile --conmon-pidfile --pidfile --pod-id-file': writes,
    '--authfile --seccomp-policy': reads,
    '--privileged': grants(flag),
    '--device --device-cgroup-rule --cap-add --security-opt --group-add --rootfs': grants(inert),
    '--userns --uidmap --gidmap --subuidname --subgidname --hostuser': grants(inert),
    '--use-api-socket --env-host': grants(flag),
    '--pid --ipc --uts --network --net': space,
    '--runtime --volume-driver --init-path --chrootdirs --preserve-fds --personality --passwd-entry':
      pinned(inert, `an option ${rights}`),
    '--log-opt': pinned(inert, 'options of logs can name files and machines'),
    '--secret': secret,
  },
);

export const execOptions: Options = withRoles(
  `-d|--detach --detach-keys= -e|--env= -i|--interactive -T|--no-TTY|--no-tty -t|--tty -u|--user= -w|--workdir=
  --index= -l|--latest --help`,
  { '--env-file': reads, '--privileged': grants(flag), '--preserve-fds': grants(inert) },
);

/** `type=local,dest=…`, or only the folder. */
const output: Use = parsed((value, word) => {
  if (value === '-') return {};
  if (value.includes('"')) return { doubts: [doubt('an output is quoted', word)] };
  if (!value.includes('=')) return { effects: [path('into', value, word)] };
  const dest = /(?:^|,)\s*dest=([^,]*)/i.exec(value)?.[1];
  const type = /(?:^|,)\s*type=([^,]*)/i.exec(value)?.[1] ?? '';
  if (dest !== undefined && dest !== '-')
    return { effects: [path(type === 'local' ? 'into' : 'writes', dest, word)] };
  return /^(?:image|docker|registry|cacheonly|tar|oci)$/.test(type)
    ? {}
    : { doubts: [doubt('an output of a build is not understood', word)] };
});

/** `type=local,src=…` and `dest=…`; others name images. */
const cache: Use = parsed((value, word) => {
  const source = /(?:^|,)\s*src=([^,]*)/i.exec(value)?.[1];
  const dest = /(?:^|,)\s*dest=([^,]*)/i.exec(value)?.[1];
  return {
    effects: [
      ...(source === undefined ? [] : [path('reads', source, word, { tree: true })]),
      ...(dest === undefined ? [] : [path('into', dest, word)]),
    ],
  };
});

/** Anywhere but into a folder of this machine, what was built is sent. */
const cacheTo: Use = parsed((value, word) => {
  const kind = /(?:^|,)\s*type=([^,]*)/i.exec(value)?.[1] ?? 'registry';
  return {
    ...cache.parse?.(value, word),
    risks: /^(?:local|inline)$/i.test(kind)
      ? []
      : [risk('data-leaving', 'high', 'Publishes what was built.', [word])],
  };
});

/** `id=x,src=file`: what the build may read. */
const file: Use = parsed((value, word) => {
  const source = /(?:^|,)\s*(?:src|source)=([^,]*)/i.exec(value)?.[1];
  return source === undefined ? {} : { effects: [path('reads', source, word)] };
});

const named: Use = parsed((value, word) => {
  const source = value.slice(value.indexOf('=') + 1);
  if (/^(?:docker-image|oci-layout|target):/i.test(source)) return {};
  return /^[\w+-]+:|^git@|^github\.com\//i.test(source)
    ? { doubts: [doubt('a build takes files from an address', word)] }
    : { effects: [path('reads', source, word, { tree: true, runs: true })] };
});

export const buildOptions: Options = withRoles(
  `--add-host= --all-platforms --annotation= --arch= --attest= --build-arg= --cache-ttl= --call= --cgroup-parent=
  --check --compress --cpp-flag= --cpu-period= --cpu-quota= -c|--cpu-shares= --cpuset-cpus= --cpuset-mems=
  -D|--debug --disable-content-trust --dns= --dns-option= --dns-search= --env= --force-rm --format=
  --from= --http-proxy --identity-label --jobs= --label= --layers --load --manifest= -m|--memory=
  --memory-swap= --no-cache --no-cache-filter= --no-hosts --omit-history --os= --os-feature=
  --os-version= --platform= --progress= --provenance= -q|--quiet --retry= --retry-delay=
  --rm --sbom= --shm-size= --skip-unused-stages --squash --squash-all --stdin -t|--tag= --target= --timestamp=
  --tls-verify --ulimit= --unsetenv= --variant= --logsplit --help`,
  {
    '-f --file': {
      ...projectFile,
      parse: (value, word) =>
        value === '-' ? { doubts: [doubt('a build takes its steps from its input', word)] } : {},
    },
    '--network': space,
    '--isolation': pinned(inert, `an option ${rights}`),
    '--ignorefile': reads,
    '--build-context': named,
    '--cache-from': cache,
    '--cache-to': cacheTo,
    '--secret': file,
    '--iidfile --metadata-file --logfile': writes,
    '-o --output': output,
    '-v --volume': volume,
    '--pull': flag,
    '--push': risky(flag, 'data-leaving', 'high', 'Publishes an image.'),
    '--ssh': pinned(inert, 'a build gets the keys of ssh'),
    '--allow --cap-add --device --security-opt --pid --ipc --uts --userns': grants(inert),
    '--userns-gid-map --userns-uid-map --userns-gid-map-group --userns-uid-map-user': grants(inert),
    '--builder --hooks-dir --runtime-flag --cap-drop --cgroupns --sign-by': pinned(
      inert,
      'an option chooses where or with what a build runs',
    ),
    '--authfile --cert-dir --decryption-key': reads,
    '--creds': secret,
  },
);
