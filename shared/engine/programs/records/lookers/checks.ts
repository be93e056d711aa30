import { doubt, executes, inert, projectFile, reads } from '../../forms.ts';
import { argparse, pflag, singleDash } from '../../syntax.ts';
import type { Options, ProgramRecord } from '../../types.ts';
import { looker, only, type Looker } from './looker.ts';

const lists = /^--(?:syntax-check|list-(?:tasks|hosts|tags))$/;
const inventory: Options = { '-i --inventory --inventory-file': projectFile };
const elsewhere = 'runs commands on other machines';
const settings = { 'ANSIBLE_*': 'holds settings of ansible, which can name programs' };
const machines: readonly Looker[] = [
  {
    names: ['ansible-playbook'],
    does: 'Brings machines into the state that a project says.',
    why: 'runs commands on another machine',
    syntax: argparse,
    whole: {
      // The names of all options, so that no shortening is read as another one.
      options: `-v|--verbose --syntax-check --list-tasks --list-hosts --list-tags -l|--limit|--subset= -t|--tags= --skip-tags= --version -h|--help
        -D|--diff -C|--check -f|--forks= --flush-cache --force-handlers --step`,
      roles: {
        ...inventory,
        '-e --extra-vars -M --module-path --vault-id --vault-password-file --vault-pass-file -c --connection --private-key --key-file --ssh-common-args --sftp-extra-args --scp-extra-args --ssh-extra-args --become-method --become-user -u --user --start-at-task -T --timeout --connection-password-file --conn-pass-file --become-password-file --become-pass-file -J':
          executes('an option of ansible holds values or code, or names keys', inert),
        '-b --become -k --ask-pass -K --ask-become-pass --ask-vault-password --ask-vault-pass':
          executes('ansible works with other rights'),
      },
      operands: projectFile,
      finish: ({ options }) =>
        options.some(({ name }) => lists.test(name))
          ? {}
          : { doubts: [doubt('ansible-playbook runs commands on another machine')] },
      project: true,
    },
    more: {
      elsewhere: true,
      beyond: ({ options }) => !options.some(({ name }) => lists.test(name)),
      environment: settings,
    },
  },
  {
    names: ['ansible-inventory'],
    does: 'Shows which machines a project has.',
    why: elsewhere,
    syntax: argparse,
    whole: {
      options:
        '--graph --version -h|--help --list --yaml|-y --toml --export --host= --vars --output= -l|--limit= -v|--verbose --flush-cache',
      roles: {
        ...inventory,
        '--vault-id --vault-password-file --vault-pass-file --playbook-dir': executes(
          'an option of ansible holds values or code, or names keys',
          inert,
        ),
      },
      operands: only(/^[\w.:-]+$/, 'ansible takes the machines from elsewhere'),
      // With their variables it would show passwords.
      finish: ({ options }) => {
        const graph = options.some(({ name }) => name === '--graph');
        const more = options.some(({ name }) => /^--(?:list|host|vars|export|output)$/.test(name));
        return graph && !more
          ? {}
          : { doubts: [doubt('ansible-inventory shows variables, which may be secret')] };
      },
      project: true,
    },
    more: { environment: settings },
  },
  {
    names: ['ansible-doc'],
    does: 'Shows what parts of Ansible are for.',
    why: elsewhere,
    syntax: argparse,
    whole: {
      options:
        '-l|--list -F|--list_files -s|--snippet -j|--json -t|--type= -v|--verbose --version -h|--help',
      operands: only(/^[\w.]+$/, 'ansible is led elsewhere'),
    },
    more: { environment: settings },
  },
  {
    names: ['ansible-galaxy'],
    does: 'Works on collections and roles of Ansible.',
    why: elsewhere,
    syntax: argparse,
    front: '-v|--verbose',
    looks: {
      'collection list': {
        options: '-v|--verbose --format=',
        operands: only(/^[\w.]+$/, elsewhere),
      },
      'role list': { options: '-v|--verbose', operands: only(/^[\w.]+$/, elsewhere) },
    },
    more: { environment: settings },
  },
  {
    names: ['molecule'],
    does: 'Tests roles of Ansible on machines that it makes.',
    why: 'makes machines and runs commands on them',
    syntax: { ...argparse, name: 'click', abbreviates: false },
    looks: { list: { options: '-f|--format= -s|--scenario-name=' } },
  },
];

const checks: readonly Looker[] = [
  {
    names: ['kubeconform'],
    does: 'Checks descriptions of Kubernetes.',
    why: 'takes its schemas from elsewhere',
    syntax: { ...singleDash, permutes: true },
    whole: {
      options:
        '-strict -summary -verbose -ignore-missing-schemas -exit-on-error -v -h -output= -n= -kubernetes-version= -skip= -reject=',
      roles: { '-schema-location': only(/^default$/, 'kubeconform takes schemas from elsewhere') },
      operands: { ...reads, tree: true },
    },
  },
  {
    names: ['kubeval'],
    does: 'Checks descriptions of Kubernetes.',
    why: 'takes its schemas from elsewhere',
    syntax: pflag,
    whole: {
      options:
        '--strict -o|--output= --ignore-missing-schemas -v|--kubernetes-version= --skip-kinds= --quiet --exit-on-error --help --version',
      operands: { ...reads, tree: true },
    },
  },
  {
    names: ['conftest'],
    does: 'Holds files of the project against its policies.',
    why: 'fetches or sends policies',
    syntax: pflag,
    looks: {
      'test|verify': {
        options:
          '-o|--output= --all-namespaces -n|--namespace= --fail-on-warn --no-color --no-fail --combine --parser= --quiet --trace --strict',
        roles: { '-p --policy -d --data': projectFile },
        operands: { ...projectFile, tree: true },
        project: true,
      },
    },
  },
  {
    names: ['opa'],
    does: 'Asks policies of the project.',
    why: 'does more than ask policies of the project',
    syntax: pflag,
    looks: {
      eval: {
        options:
          '-f|--format= --fail --fail-defined --strict --stdin-input|-I --explain= --coverage',
        roles: { '-d --data -i --input': projectFile },
        operands: only(/^data(?:\.\w+)*$/, 'opa runs what its arguments say'),
        project: true,
      },
      'check|test': {
        options:
          '-v|--verbose -f|--format= --strict -S -r|--run= --coverage|-c --explain= --fail-on-empty',
        operands: { ...projectFile, tree: true },
        project: true,
      },
    },
  },
  {
    names: ['trivy'],
    does: 'Looks for known weaknesses.',
    why: 'fetches, sends or takes code from elsewhere',
    syntax: pflag,
    front: '-q|--quiet -d|--debug',
    looks: {
      'config|conf': {
        options:
          '-s|--severity= -f|--format= --exit-code= --skip-dirs= --skip-files= -q|--quiet --skip-check-update --timeout= --misconfig-scanners= --include-non-failures --ignorefile=',
        operands: { ...projectFile, tree: true },
        project: true,
      },
      'fs|filesystem': {
        options:
          '-s|--severity= -f|--format= --exit-code= --skip-dirs= --skip-files= -q|--quiet --skip-db-update --offline-scan --timeout= --scanners= --ignore-unfixed --no-progress --pkg-types= --dependency-tree',
        operands: { ...projectFile, tree: true },
        project: true,
      },
    },
    more: { environment: { 'TRIVY_*': 'holds options of trivy' } },
  },
  {
    names: ['checkov'],
    does: 'Checks descriptions of machines and services.',
    why: 'takes checks from elsewhere or sends what it found',
    syntax: { ...argparse, abbreviates: false },
    whole: {
      options:
        '--compact --quiet -o|--output= --framework= -c|--check= --skip-check= -s|--soft-fail --skip-path= --skip-download -v|--version -h|--help -l|--list',
      roles: { '-d --directory -f --file': projectFile },
      project: true,
    },
  },
  {
    names: ['terraform-docs'],
    does: 'Describes modules of Terraform.',
    why: 'writes files or does what its settings say',
    syntax: pflag,
    looks: Object.fromEntries(
      'markdown table|markdown document|md table|md document|json|yaml|pretty'
        .split('|')
        .map((words) => [
          words,
          {
            options: '--sort --sort-by= --show= --hide= --header-from= --indent= --anchor --escape',
            operands: projectFile,
            project: true,
          },
        ]),
    ),
  },
];

/** Programs that bring machines into a state or check descriptions of them. */
export const checkingPrograms: readonly ProgramRecord[] = [...machines, ...checks].map(looker);
