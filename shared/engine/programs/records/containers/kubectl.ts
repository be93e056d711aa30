import {
  doubt,
  flag,
  has,
  inert,
  parsed,
  path,
  pinned,
  pins,
  projectFile,
  risk,
  secret,
  writes,
  executes,
  fromDash,
} from '../../forms.ts';
import { pflag } from '../../syntax.ts';
import type { Command, Options, ProgramRecord, Reading, Yield } from '../../types.ts';
import { cobra, group, looks } from '../cobra.ts';
import { carried, withRoles } from '../shapes.ts';

export const settings = 'an option chooses other settings or another cluster';

/** A file, a folder or an address with what the cluster is to hold. */
export const manifest = parsed((value, word) => {
  if (value === '-') return {};
  if (/^https?:/i.test(value))
    return {
      effects: [{ kind: 'reaches', address: value, direction: 'fetches', word }],
      doubts: [doubt('kubectl takes what it sets up from an address', word)],
    };
  if (/^[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i.test(value))
    return { doubts: [doubt('kubectl takes what it sets up from an address', word)] };
  return { effects: [path('reads', value, word, { tree: true, runs: true })] };
});
/** A kustomization can name generators, which are off unless another option lets them run. */
const kustomization = parsed((value, word) =>
  /:\/\/|^[\w.-]+@[\w.-]+:|^[\w-]+\.[\w.-]+\/|[?]ref=/.test(value)
    ? {
        effects: [{ kind: 'reaches', address: value, direction: 'fetches', word }],
        doubts: [doubt('kubectl takes what it sets up from an address', word)],
      }
    : { effects: [path('reads', value, word, { tree: true, runs: true })] },
);
/** `jsonpath-file=…`, `go-template-file=…`; the others name a form. */
const form = parsed((value, word) => {
  const file = /^[a-z-]+-file=(.*)$/s.exec(value)?.[1];
  return file === undefined ? {} : { effects: [path('reads', file, word)] };
});

function kube(options: string, roles: Options = {}): Options {
  return withRoles(options, {
    '-f --filename': manifest,
    '-k --kustomize': kustomization,
    '-o --output': form,
    '--raw': pinned(inert, 'an address of the cluster is called as it stands'),
    '--patch-file': { ...projectFile, tree: true },
    '--env-file --from-env-file --from-file --cert --key': parsed((value, word) => ({
      effects: [path('reads', value.slice(value.indexOf('=') + 1), word, { tree: true })],
    })),
    '--from-literal --docker-password': secret,
    '--edit': pins('kubectl starts the editor'),
    ...roles,
  });
}

const shown = '--allow-missing-template-keys -o|--output= --show-managed-fields --template=';
const chosen = '-f|--filename= -k|--kustomize= -R|--recursive -l|--selector=';
const changed = `${shown} --dry-run[] --field-manager= --field-selector= --all -A|--all-namespaces --local
  --overwrite --resource-version= --save-config --windows-line-endings --wait --timeout= --validate[]
  --force --grace-period= --cascade[] --subresource= --type= --list`;

const reading = (does: string, options = ''): Command =>
  looks(does, kube(`${options} ${shown} ${chosen}`));
const changing = (does: string, options = '', more: Partial<Command> = {}): Command =>
  cobra(does, kube(`${options} ${changed} ${chosen}`), more);

function deleted({ operands, options }: Reading): Yield {
  const [kind] = operands;
  const text = kind?.text ?? '';
  const whole =
    /^(?:ns|namespaces?|pv|pvc|persistentvolume\w*|crds?|customresourcedefinitions?|nodes?|no|all)(?:[/.,]|$)/.test(
      text,
    );
  if (!whole && !has({ options }, '--all', '-A', '--all-namespaces')) return {};
  const what = whole ? text : 'everything of a kind';
  return {
    risks: [
      risk(
        'data-loss',
        'high',
        `Deletes ${what} in the cluster.`,
        kind === undefined ? [] : [kind.word],
      ),
    ],
  };
}

function inside(name: string, options: string): Command {
  return {
    ...cobra('Runs a command in the cluster.', kube(`${options} ${changed} ${chosen}`)),
    syntax: { ...pflag, permutes: true },
    finish: (one) => {
      const why = `kubectl ${name} runs a command in the cluster`;
      return one.operands.length > 1 ? carried(one, { why, skip: 1 }) : { doubts: [doubt(why)] };
    },
  };
}

function copied({ operands }: Reading): Yield {
  const [from, to] = operands;
  const here = (text: string): boolean => !/^[\w./-]+:/.test(text);
  return {
    effects: [
      ...(from !== undefined && here(from.text)
        ? [path('reads', from.text, from.word, { tree: true })]
        : []),
      ...(to !== undefined && here(to.text) ? [path('into', to.text, to.word)] : []),
    ],
  };
}

/** Values of secrets are printed only in these forms; of which kind the things in a file are, the file says. */
function printed({ operands, options }: Reading): Yield {
  const secrets =
    operands.some(({ text }) => /(?:^|,)secrets?(?:[/,.]|$)/i.test(text)) ||
    has({ options }, '-f', '--filename', '-k', '--kustomize');
  const isShown = options.some(
    ({ name, value }) => /^(?:-o|--output)$/.test(name) && !/^(?:wide|name)$/.test(value ?? ''),
  );
  return secrets && isShown
    ? { risks: [risk('credential-path', 'high', 'Prints secrets of a cluster.')] }
    : {};
}

const commands: Readonly<Record<string, Command>> = {
  get: {
    ...looks(
      'Lists what a cluster holds.',
      kube(`-A|--all-namespaces ${shown} ${chosen} --chunk-size= --field-selector= --ignore-not-found
        -L|--label-columns= --no-headers --output-watch-events --raw= --server-print --show-kind
        --show-labels --sort-by= --subresource= -w|--watch --watch-only`),
    ),
    finish: printed,
  },
  describe: reading(
    'Shows details of what a cluster holds.',
    '-A|--all-namespaces --chunk-size= --show-events',
  ),
  logs: looks(
    'Shows what a program in the cluster printed.',
    `--all-containers --all-pods -c|--container= -f|--follow --ignore-errors
     --insecure-skip-tls-verify-backend --limit-bytes= --max-log-requests= --pod-running-timeout= --prefix
     -p|--previous -l|--selector= --since= --since-time= --tail= --timestamps`,
  ),
  top: group('Shows what is used.', {
    'pod pods po': looks(
      'Shows what programs use.',
      `-A|--all-namespaces --containers --field-selector= --no-headers
      -l|--selector= --sort-by= --sum --use-protocol-buffers`,
    ),
    'node nodes no': looks(
      'Shows what machines use.',
      '--no-headers -l|--selector= --show-capacity --sort-by= --use-protocol-buffers',
    ),
  }),
  explain: looks('Explains a kind of object.', '--api-version= -o|--output= --recursive'),
  version: looks('Shows the version.', '--client -o|--output= --short'),
  'api-resources': looks(
    'Lists kinds of objects.',
    `--api-group= --cached --categories= --namespaced --no-headers
    -o|--output= --sort-by= --verbs=`,
  ),
  'api-versions': looks('Lists versions.'),
  'cluster-info': looks('Shows addresses of the cluster.'),
  events: looks(
    'Lists events.',
    `-A|--all-namespaces --chunk-size= --for= --no-headers ${shown} --types= -w|--watch`,
  ),
  options: looks('Shows options.'),
  completion: looks('Prints completions for a shell.'),
  diff: cobra(
    'Shows what would change.',
    kube(`--concurrency= --field-manager= --force-conflicts --prune --prune-allowlist= --server-side
      --show-managed-fields ${chosen}`),
  ),
  wait: reading(
    'Waits for a state.',
    '--all -A|--all-namespaces --field-selector= --for= --local --timeout=',
  ),
  apply: changing(
    'Changes what a cluster holds.',
    '--force-conflicts --openapi-patch --prune --prune-allowlist= --server-side',
  ),
  create: changing(
    'Makes objects in a cluster.',
    `--edit --raw= --image= --port= -r|--replicas= --class= --rule=
    --default-backend= --annotation= --schedule= --restart= --from= --clusterrole= --role= --serviceaccount=
    --user= --group= --verb= --resource= --resource-name= --non-resource-url= --aggregation-rule=
    --from-file= --from-literal= --from-env-file= --append-hash --tcp= --node-port= --clusterip= --external-name=
    --hard= --scopes= --min-available= --max-unavailable= --value= --description= --preemption-policy=
    --global-default --docker-server= --docker-username= --docker-password= --docker-email= --cert= --key=
    --audience= --duration= --bound-object-kind= --bound-object-name= --bound-object-uid=`,
  ),
  delete: changing('Deletes from a cluster.', '--ignore-not-found -i|--interactive --now --raw=', {
    finish: deleted,
  }),
  annotate: changing('Annotates objects.'),
  label: changing('Labels objects.'),
  scale: changing('Changes how many there are.', '--current-replicas= --replicas='),
  autoscale: changing(
    'Has a cluster change how many there are.',
    '--cpu-percent= --max= --min= --name=',
  ),
  patch: changing('Changes objects.', '-p|--patch= --patch-file='),
  replace: changing('Replaces objects.', '--raw='),
  expose: changing(
    'Makes a service.',
    `--cluster-ip= --external-ip= -l|--labels= --load-balancer-ip= --name=
    --override-type= --overrides= --port= --protocol= --session-affinity= --target-port=`,
  ),
  cordon: changing('Closes a machine to new programs.'),
  uncordon: changing('Opens a machine to programs.'),
  drain: changing(
    'Moves programs off a machine.',
    `--chunk-size= --delete-emptydir-data --disable-eviction
    --ignore-daemonsets --pod-selector= --skip-wait-for-delete-timeout=`,
  ),
  taint: changing('Marks machines.'),
  'port-forward': cobra('Opens a port to the cluster.', '--address= --pod-running-timeout=', {
    finish: (one) => ({
      doubts: one.options.flatMap(({ name, value, valueWord }) =>
        name === '--address' && !/^(?:localhost|127\.0\.0\.1|::1)$/.test(value ?? '')
          ? [doubt('others on the network reach the port', valueWord)]
          : [],
      ),
    }),
  }),
  cp: cobra('Copies files from or to the cluster.', '-c|--container= --no-preserve --retries=', {
    finish: copied,
  }),
  exec: inside('exec', '-c|--container= --pod-running-timeout= -q|--quiet -i|--stdin -t|--tty'),
  run: inside(
    'run',
    `--annotations= --attach --command --env= --expose --image= --image-pull-policy= -l|--labels=
    --leave-stdin-open --override-type= --overrides= --pod-running-timeout= --port= --privileged -q|--quiet
    --restart= --rm -i|--stdin -t|--tty`,
  ),
  debug: inside(
    'debug',
    `--arguments-only --attach -c|--container= --copy-to= --custom= --env= --image=
    --image-pull-policy= --keep-annotations --keep-init-containers --keep-labels --keep-liveness
    --keep-readiness --keep-startup --profile= -q|--quiet --replace --same-node --set-image=
    --share-processes -i|--stdin --target= -t|--tty`,
  ),
  rollout: group('Works on how programs are brought out.', {
    status: reading('Shows how far it is.', '--revision= --timeout= -w|--watch'),
    history: reading('Shows earlier ones.', '--revision='),
    'restart undo pause resume': changing('Changes how it goes on.', '--to-revision='),
  }),
  auth: group('Shows who may do what.', {
    'can-i': looks(
      'Tells whether something is allowed.',
      '-A|--all-namespaces --list --no-headers -q|--quiet --subresource=',
    ),
    whoami: looks('Shows who one is.', shown),
  }),
  set: changing(
    'Changes parts of objects.',
    `-c|--containers= -e|--env= --from= --keys= --limits= --requests=
    --prefix= --resolve --subject= --serviceaccount= --group= --user=`,
  ),
  config: group('Shows settings.', {
    'current-context': looks('Shows the cluster in use.'),
    'get-contexts': looks('Lists clusters.', '--no-headers -o|--output='),
    'get-clusters': looks('Lists clusters.'),
    'get-users': looks('Lists accounts.'),
    view: {
      ...looks('Shows settings.', `--flatten --merge[] --minify --raw ${shown}`),
      finish: (one) =>
        has(one, '--raw')
          ? { risks: [risk('credential-path', 'high', 'Prints Kubernetes credentials.')] }
          : {},
    },
    'use-context': cobra('Chooses the cluster.'),
  }),
  kustomize: cobra(
    'Prints what a folder describes.',
    {
      '-o --output': writes,
      '--load-restrictor': inert,
      '--help --as-current-user': flag,
      '--enable-helm --enable-alpha-plugins --enable-exec --network --helm-debug': executes(
        'kubectl starts other programs',
      ),
      '--helm-command --mount -e --env --network-name --helm-api-versions --helm-kube-version':
        executes('kubectl starts other programs', inert),
    },
    {
      operands: { rest: kustomization },
      offers: ({ doubts, effects }) =>
        doubts.length === 0 && effects.every((one) => one.kind === 'path' && one.use === 'reads')
          ? 'reads'
          : 'exact',
    },
  ),
};

const kubectl: ProgramRecord = {
  names: ['kubectl', 'oc', 'kubecolor'],
  discloses: [
    [/(?:^| )create token\b/, 'a token'],
    // A plain list has names only.
    [/(?:^| )(?:describe|edit)(?: .*)?[ ,](?:secrets?(?:\.v1)?(?:[/, ]|$))/, 'secrets'],
    [
      /(?:^| )get(?=(?: .*)?[ ,]secrets?(?:\.v1)?(?:[/, ]|$))(?=.* (?:-o|--output|--template|--raw))(?!.* (?:-o[ =]?|--output[ =])(?:wide|name)(?: |$))/,
      'secrets',
    ],
    [/(?:^| )cluster-info(?: .*)? dump\b/, 'settings of all programs in the cluster'],
    [/(?:^| )set env\b.* (?:--list|--resolve)\b/, 'variables of programs in the cluster'],
    [/(?:^| )config view .*--(?:raw|flatten)/, 'credentials of clusters'],
  ],
  obeys: fromDash,
  elsewhere: true,
  does: 'Works on a cluster.',
  environment: {
    KUBECONFIG: 'names settings of kubectl, which can run a program for its credentials',
    KUBE_EDITOR: 'names a program that kubectl starts',
    KUBECTL_EXTERNAL_DIFF: 'names a program that kubectl starts',
    KUBECTL_KUBERC: 'names settings of kubectl',
    KUBECACHEDIR: 'names a folder that kubectl writes to',
  },
  grammar: {
    syntax: pflag,
    options: {
      '-n --namespace --context --cluster --user --request-timeout -v --v --vmodule --log-flush-frequency':
        inert,
      '--disable-compression --match-server-version --warnings-as-errors -h --help --version': flag,
      '--kubeconfig --kuberc --as --as-group --as-uid -s --server --token --tls-server-name --username --cache-dir':
        pinned(inert, settings),
      '--certificate-authority --client-certificate --client-key --profile --profile-output':
        pinned(inert, settings),
      '--password': { ...secret, level: 'pinned', why: settings },
      '--insecure-skip-tls-verify': pins(settings),
    },
    commands,
  },
};

export const kubectlPrograms: readonly ProgramRecord[] = [kubectl];
