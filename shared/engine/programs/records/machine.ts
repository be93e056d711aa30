import { doubt, risk } from '../forms.ts';
import { getoptCommand } from '../syntax.ts';
import type { ProgramRecord } from '../types.ts';
import { fixed } from './shapes.ts';

const disks: readonly ProgramRecord[] = fixed(
  'pinned',
  'changes or erases disks',
  `mkfs mke2fs mkfs.ext4 mkfs.xfs mkfs.vfat mkfs.btrfs mkntfs mkdosfs mkswap fdisk sfdisk gdisk parted wipefs cryptsetup lvremove vgremove blkdiscard hdparm diskutil newfs`,
).map((record) => risked(record, 'disk-write', 'Erases or changes a disk.'));
const machine = fixed(
  'pinned',
  'stops or restarts this machine',
  'shutdown reboot poweroff halt init telinit killall5',
).map((record) =>
  risked(
    record,
    'stops-programs',
    'Stops or restarts this machine.',
    record.names.includes('shutdown') ? /^(?:-c|--help|--version)$/ : /^--(?:help|version)$/,
  ),
);
const accounts = fixed(
  'pinned',
  'changes who may do what on this machine',
  'setcap visudo usermod gpasswd adduser useradd passwd chpasswd userdel setenforce csrutil spctl',
).map((record) => risked(record, 'privilege', 'Changes what users and programs may do.'));
const secrets = fixed(
  'pinned',
  'prints secrets or hands them on',
  'vault pass gopass bw security secret-tool sops ansible-vault',
).map((record) => risked(record, 'credential-path', 'Prints or hands on secrets.'));
const tunnels = fixed(
  'pinned',
  'opens this machine to the internet',
  'ngrok cloudflared localtunnel lt',
).map((record) => risked(record, 'data-leaving', 'Opens this machine to the internet.'));
function risked(
  record: ProgramRecord,
  code: string,
  text: string,
  harmless = /^(?:-l|--list|--help|--version)$/,
): ProgramRecord {
  return {
    ...record,
    grammar: {
      ...record.grammar,
      read: (args) => ({
        ...(record.grammar.read?.(args) ?? { options: [], operands: [] }),
        risks: args.some(({ text: word }) => harmless.test(word)) ? [] : [risk(code, 'high', text)],
      }),
    },
  };
}

/** Interlock's own command line: what changes rules or answers requests is a person's to do. */
const interlock: ProgramRecord = {
  names: ['interlock'],
  does: 'Works on Interlock itself.',
  grammar: {
    syntax: getoptCommand,
    read: (args) => {
      const first = args.find(({ text }) => !text.startsWith('-'))?.text ?? '';
      const looks =
        /^(?:status|help|version|explain|why)$/.test(first) ||
        args.every(({ text }) => /^--?(?:version|help|h|V)$/.test(text));
      const why = 'interlock changes its own rules and answers';
      return looks
        ? { options: [], operands: [], doubts: [doubt(why)] }
        : {
            options: [],
            operands: [],
            doubts: [doubt(why, -1, 'never')],
            risks: [risk('persistence', 'high', 'Changes the rules of Interlock.')],
          };
    },
    offers: 'exact',
  },
};

export const machinePrograms: readonly ProgramRecord[] = [
  ...disks,
  ...machine,
  ...accounts,
  ...secrets,
  ...tunnels,
  interlock,
];
