import { executes, inert, path, pins, reads } from '../forms.ts';
import { gnu } from '../syntax.ts';
import type { ProgramRecord } from '../types.ts';
import { packager } from './findings.ts';
import { commandTool } from './command-tool.ts';
import { withRoles } from './shapes.ts';

const settings = 'apt runs commands from its settings';
const aptOptions = withRoles(
  '-d|--download-only -f|--fix-broken -m|--ignore-missing --fix-missing --no-download -q|--quiet[] -s|--simulate|--just-print|--dry-run|--recon|--no-act -y|--yes|--assume-yes --assume-no --no-show-upgraded -V|--verbose-versions -a|--all-versions --host-architecture= -P|--build-profiles= -b|--compile --ignore-hold --with-new-pkgs --no-upgrade --only-upgrade --allow-downgrades --allow-remove-essential --allow-change-held-packages --force-yes --print-uris --purge --reinstall --list-cleanup -t|--target-release|--default-release= --trivial-only --no-remove --auto-remove|--autoremove --only-source --diff-only --dsc-only --tar-only --arch-only --allow-unauthenticated --no-allow-insecure-repositories --allow-releaseinfo-change --show-progress --with-source= --no-install-recommends --install-recommends --install-suggests --installed --upgradable --manual-installed -v|--version -h|--help -n|--names-only --no-all-versions --recurse --important -i -g|--generate --full -u',
  {
    '-o --option -c --config-file': executes(settings, inert),
  },
);
const aptInstall: ProgramRecord = {
  names: ['apt', 'apt-get', 'apt-cache', 'aptitude', 'apt-mark'],
  finds: packager(/^(?:install|upgrade|full-upgrade|dist-upgrade|remove|purge|autoremove)\b/),
  does: 'Works on packages of the system.',
  beyond: true,
  environment: { APT_CONFIG: 'names settings of apt, which can hold commands' },
  grammar: {
    syntax: { ...gnu, name: 'apt', abbreviates: false },
    options: aptOptions,
    operands: { rest: inert },
    finish: (one) => ({
      effects: one.operands
        .filter(({ text }) => /^[./~]/.test(text))
        .map(({ text, word }) => path('reads', text, word)),
    }),
    offers: ({ operands }) =>
      /^(?:list|show|search|policy|depends|rdepends|madison|showpkg|changelog)$/.test(
        operands[0]?.text ?? '',
      )
        ? 'reads'
        : 'exact',
  },
};
const dpkg: ProgramRecord = {
  names: ['dpkg', 'dpkg-query', 'dpkg-deb'],
  links: 'can',
  does: 'Works on packages of the system.',
  grammar: {
    syntax: { ...gnu, name: 'dpkg', abbreviates: false },
    options: withRoles(
      '-l|--list -s|--status -L|--listfiles -S|--search -p|--print-avail -I|--info -c|--contents -f|--field -W|--show --get-selections --print-architecture --print-foreign-architectures --compare-versions -C|--audit -V|--verify --version -? --help --no-pager -D= --validate-version --assert-support-predepends --showformat= --yet-to-unpack',
      {
        '-i --install --unpack --configure -r --remove -P --purge -A --record-avail --set-selections --clear-selections --update-avail --merge-avail':
          pins('dpkg runs scripts of packages'),
        '-x --extract -X --vextract -e --control -R --raw-extract -b --build --fsys-tarfile':
          pins('dpkg unpacks packages'),
        '--pre-invoke --post-invoke --status-logger --admindir --root --instdir --log --path-exclude --path-include --force-all --add-architecture':
          executes('dpkg runs hooks from its options', inert),
        '--showformat': inert,
      },
    ),
    operands: { rest: reads },
    offers: 'exact',
  },
};
const brewTool = commandTool({
  names: ['brew'],
  finds: packager(/^(?:install|reinstall|upgrade|tap)\b/),
  does: 'Works on packages of the system.',
  plain:
    'cleanup config doctor install reinstall uninstall update upgrade link unlink tap untap pin unpin fetch autoremove',
  looks: 'deps desc info leaves list ls outdated search uses home cat formulae casks',
  pins: /\.rb$|\/.*\/|^[.~/]|^https?:/,
  why: 'brew runs the file or the address as a formula',
  runs: 'sh exec ruby bundle services edit create',
  caches: ['~/Library/Caches/Homebrew'],
  harmless: ['HOMEBREW_NO_AUTO_UPDATE'],
  environment: {
    'HOMEBREW_*': 'holds settings of brew, which can name programs',
    HOMEBREW_BREW_FILE: 'names a program that brew starts',
  },
});

const brew: ProgramRecord = {
  ...brewTool,
  beyond: /^(?:(?:re|un)?install|upgrade|cleanup|autoremove|link|unlink|tap|untap|pin|unpin)$/,
};

export const packagePrograms: readonly ProgramRecord[] = [aptInstall, dpkg, brew];
