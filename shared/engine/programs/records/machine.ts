import { doubt, risk } from '../forms.ts';
import { getoptCommand } from '../syntax.ts';
import type { ProgramRecord } from '../types.ts';
import { byLine, told } from './findings.ts';
import { fixed } from './shapes.ts';

const disks = fixed(
  'pinned',
  'changes or erases disks',
  'fdisk sfdisk gdisk parted cryptsetup hdparm',
  { finds: told('disk-write', 'Changes a disk.', /^(?:-l|--list|--help|--version)$/) },
);
const erasers = fixed(
  'pinned',
  'changes or erases disks',
  `mkfs mke2fs mkfs.ext4 mkfs.xfs mkfs.vfat mkfs.btrfs mkntfs mkdosfs mkswap wipefs
  lvremove vgremove blkdiscard diskutil newfs`,
  { finds: told('disk-write', 'Erases or changes a disk.') },
);
const machine = [
  ['shutdown', /^(?:-c|--help|--version)$/] as const,
  ['reboot poweroff halt init telinit killall5', /^--(?:help|version)$/] as const,
].flatMap(([names, but]) =>
  fixed('pinned', 'stops or restarts this machine', names, {
    finds: told('stops-programs', 'Stops or restarts this machine.', but),
  }),
);
const accounts = fixed(
  'pinned',
  'changes who may do what on this machine',
  'setcap visudo usermod gpasswd adduser useradd passwd chpasswd userdel setenforce csrutil spctl',
  { finds: told('privilege', 'Changes what users and programs may do.') },
);
const firewalls = fixed('pinned', 'changes the system', 'iptables ip6tables nft ufw', {
  finds: (_reading, args) =>
    args.some(({ text }) => /^-(?:F|X|P|-flush|-policy)|^(?:disable|reset|flush)$/.test(text))
      ? [risk('privilege', 'high', 'Takes the firewall down.')]
      : [],
});
const settings = fixed('pinned', 'changes settings that last', 'bootctl gsettings xdg-settings');
const secrets = fixed(
  'pinned',
  'prints secrets or hands them on',
  'vault pass gopass bw security secret-tool sops ansible-vault',
  {
    finds: told(
      'credential-path',
      'Prints or hands on secrets.',
      /^(?:-l|--list|--help|--version)$/,
    ),
  },
);
const wallets: readonly ProgramRecord[] = [
  ...fixed('pinned', 'runs a command with other variables or secrets', 'op', {
    finds: byLine([
      [
        /^(?:item get|read|inject|document get)/,
        'credential-path',
        'Prints a secret of 1Password.',
      ],
    ]),
  }),
  ...fixed('pinned', 'runs a command with other variables or secrets', 'doppler', {
    finds: byLine([[/^(?:secrets|run)\b/, 'credential-path', 'Prints or hands on secrets.']]),
  }),
];
const tunnels = fixed(
  'pinned',
  'opens this machine to the internet',
  'ngrok cloudflared localtunnel lt',
  { finds: told('data-leaving', 'Opens this machine to the internet.') },
);

const opens = 'interlock changes its own rules and answers';
/** Interlock's own command line: what changes rules or answers requests is a person's to do. */
const interlock: ProgramRecord = {
  names: ['interlock'],
  does: 'Works on Interlock itself.',
  finds: (_reading, args) => {
    const words = args.map(({ text }) => text).filter((text) => !text.startsWith('-'));
    const first = words[0] === 'approvals' ? (words[1] ?? '') : words[0];
    const looks =
      /^(?:check|run|pending|audit|status|doctor|help|version|explain|why|test|list|show|get|export)$/;
    return first === undefined || looks.test(first)
      ? []
      : [risk('privilege', 'high', 'Changes what Interlock itself allows.')];
  },
  grammar: {
    syntax: getoptCommand,
    read: (args) => {
      const first = args.find(({ text }) => !text.startsWith('-'))?.text ?? '';
      const looks =
        /^(?:status|help|version|explain|why)$/.test(first) ||
        args.every(({ text }) => /^--?(?:version|help|h|V)$/.test(text));
      const doubts = [doubt(opens, -1, looks ? 'pinned' : 'never')];
      return { options: [], operands: [], doubts };
    },
    offers: 'exact',
  },
};

export const machinePrograms: readonly ProgramRecord[] = [
  ...disks,
  ...erasers,
  ...machine,
  ...accounts,
  ...firewalls,
  ...settings,
  ...secrets,
  ...wallets,
  ...tunnels,
  interlock,
];
