import {
  doubt,
  flag,
  inert,
  into,
  parsed,
  path,
  pinned,
  pins,
  projectFile,
  reads,
  risk,
  secret,
  executes,
} from '../../forms.ts';
import { pflag } from '../../syntax.ts';
import type { Command, Options, ProgramRecord } from '../../types.ts';
import { cobra, group, looks } from '../cobra.ts';
import { withRoles } from '../shapes.ts';

import { manifest, settings } from './kubectl.ts';

const values = '-f|--values= --set= --set-file= --set-json= --set-literal= --set-string=';
const charts = `--ca-file= --cert-file= --key-file= --keyring= --username= --password= --pass-credentials
  --verify --version= --insecure-skip-tls-verify --plain-http --devel --untardir= -d|--destination= --untar --prov`;
const installs = `${values} ${charts} --api-versions= --atomic --rollback-on-failure --create-namespace --dependency-update
  --description= --disable-openapi-validation --dry-run[] --enable-dns --force --generate-name -g
  --hide-notes --hide-secret --include-crds --is-upgrade --kube-version= -l|--labels= --name-template= --no-hooks
  -o|--output= --output-dir= --release-name --render-subchart-notes --replace --reset-values
  --reset-then-reuse-values --reuse-values -s|--show-only= --skip-crds --skip-schema-validation
  --skip-tests --take-ownership --timeout= --validate --wait --wait-for-jobs --cleanup-on-fail
  --history-max= -i|--install --post-renderer= --post-renderer-args=`;
const helmRoles: Options = {
  '--values': manifest,
  '--set-file': parsed((value, word) => ({
    effects: [path('reads', value.slice(value.indexOf('=') + 1), word)],
  })),
  '--ca-file --cert-file --key-file --keyring': reads,
  '--password': secret,
  '--repo': pinned(inert, 'helm takes a chart from an address'),
  '--output-dir --untardir --destination': into,
  '--post-renderer --post-renderer-args': executes(
    'helm starts the program in --post-renderer',
    inert,
  ),
};
const chart = {
  rest: parsed((value, word) =>
    /[/.]/.test(value) && !value.includes('://')
      ? { effects: [path('reads', value, word, { tree: true, runs: true })] }
      : value.includes('://')
        ? { doubts: [doubt('helm takes a chart from an address', word)] }
        : {},
  ),
};
const helming = (does: string, options: string, more: Partial<Command> = {}): Command =>
  cobra(does, withRoles(`${options} --help`, helmRoles), { operands: chart, ...more });

const helm: ProgramRecord = {
  names: ['helm'],
  elsewhere: true,
  does: 'Installs charts into a cluster.',
  beyond:
    /^(?:install|upgrade|uninstall|delete|del|un|rollback|push|test|registry|repo (?:add|remove|rm))\b/,
  environment: {
    KUBECONFIG: 'names settings of helm, which can run a program for its credentials',
    'HELM_*': 'names plug-ins and settings of helm',
    HELM_PLUGINS: 'names plug-ins of helm',
    HELM_CONFIG_HOME: 'names settings and plug-ins of helm',
    HELM_DATA_HOME: 'names plug-ins of helm',
    HELM_BIN: 'names a program that plug-ins of helm start',
  },
  grammar: {
    syntax: pflag,
    options: {
      '-n --namespace --kube-context --burst-limit --qps --color --colour': inert,
      '--debug -h --help': flag,
      '--kubeconfig --kube-apiserver --kube-as-group --kube-as-user --kube-ca-file --kube-token':
        pinned(inert, settings),
      '--kube-tls-server-name --registry-config --repository-cache --repository-config --content-cache':
        pinned(inert, settings),
      '--kube-insecure-skip-tls-verify': pins(settings),
    },
    commands: {
      completion: looks('Prints completions for a shell.', '--no-descriptions'),
      create: cobra(
        'Makes a chart.',
        { '-p --starter': projectFile, '--help': flag },
        { operands: { rest: into } },
      ),
      'dependency dep dependencies': group('Works on dependencies of a chart.', {
        'list ls': looks('Lists dependencies.', '--max-col-width='),
        'build update up': helming('Fetches dependencies.', `${charts} --skip-refresh`),
      }),
      env: looks('Shows settings.'),
      get: group('Shows a release.', {
        'all hooks manifest notes values metadata': looks(
          'Shows a release.',
          '-a|--all -o|--output= --revision= --template=',
        ),
      }),
      'history hist': looks('Shows earlier releases.', '--max= -o|--output='),
      install: helming('Installs a chart.', installs),
      lint: helming(
        'Checks a chart.',
        `${values} --kube-version= --quiet --skip-schema-validation --strict --with-subcharts`,
      ),
      'list ls': looks(
        'Lists releases.',
        `-a|--all -A|--all-namespaces -d|--date --deployed --failed -f|--filter= -m|--max=
        --no-headers --offset= -o|--output= --pending -r|--reverse -l|--selector= -q|--short --superseded
        --time-format= --uninstalled --uninstalling`,
      ),
      package: helming(
        'Packs a chart.',
        '--app-version= -u|--dependency-update -d|--destination= --key= --keyring= --passphrase-file= --sign --version=',
      ),
      pull: helming('Fetches a chart.', charts),
      push: helming('Publishes a chart.', charts, {
        finish: () => ({ risks: [risk('data-leaving', 'high', 'Publishes a chart.')] }),
      }),
      repo: group('Works on where charts come from.', {
        'list ls': looks('Lists repositories.', '-o|--output= --no-headers'),
        'update up': cobra('Fetches lists of charts.', '--fail-on-repo-update-fail --timeout='),
        add: cobra(
          'Adds a repository.',
          withRoles(
            `${charts} --allow-deprecated-repos --force-update --no-update --password-stdin --timeout= --help`,
            helmRoles,
          ),
        ),
        'remove rm': cobra('Removes a repository.'),
      }),
      rollback: helming('Goes back to an earlier release.', installs),
      search: group('Searches for charts.', {
        'hub repo': looks(
          'Searches for charts.',
          `--devel --fail-on-no-result --max-col-width= -o|--output= -r|--regexp
          --version= -l|--versions --list-repo-url --endpoint=`,
        ),
      }),
      'show inspect': group('Shows a chart.', {
        'all chart crds readme values': helming('Shows a chart.', `${charts} --jsonpath=`, {
          offers: 'reads',
        }),
      }),
      status: looks('Shows a release.', '-o|--output= --revision= --show-desc --show-resources'),
      template: helming('Prints what a chart describes.', installs),
      test: helming('Runs the tests of a chart.', '--filter= --hide-notes --logs --timeout='),
      'uninstall del delete un': helming(
        'Removes a release.',
        '--cascade= --description= --dry-run --ignore-not-found --keep-history --no-hooks --timeout= --wait',
      ),
      upgrade: helming('Changes a release.', installs),
      verify: helming('Checks a chart.', '--keyring='),
      version: looks('Shows the version.', '-c|--client --short --template='),
    },
  },
};

export const helmPrograms: readonly ProgramRecord[] = [helm];
