import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { hasOption, operands } from '../options.ts';
import { absolute, isTemporary } from '../paths.ts';
import type { RiskSubject } from '../subject.ts';

const device = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|md|dm-|mapper\/|sr\d)/;
const tools: Readonly<Record<string, string>> = {
  fdisk: 'Changes the partitions of a disk.',
  sfdisk: 'Changes the partitions of a disk.',
  gdisk: 'Changes the partitions of a disk.',
  parted: 'Changes the partitions of a disk.',
  wipefs: 'Erases the file system of a disk.',
  mkswap: 'Erases a disk or partition.',
  cryptsetup: 'Changes the encryption of a disk.',
  lvremove: 'Removes a volume.',
  vgremove: 'Removes a volume group.',
  blkdiscard: 'Erases a disk.',
  hdparm: 'Changes settings of a disk.',
};

export const checkDisk: RiskCheck = ({ name, args, writes }) => {
  const found: RoughFinding[] = [];
  const known = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (known !== undefined && !hasOption(args, 'l', ['--list']))
    found.push(finding('disk-write', 'high', known));
  if (/^mkfs(?:\.|$)|^newfs|^mke2fs$|^mkntfs$|^mkdosfs$|^mkswap$/.test(name))
    found.push(finding('disk-write', 'high', 'Erases a disk or partition.'));
  if (name === 'diskutil' && /^(?:erase|partition|zero|apfs)/i.test(args[0] ?? '')) {
    found.push(finding('disk-write', 'high', 'Erases or changes a disk.', args.slice(0, 1)));
  }
  const outputs =
    name === 'dd' ? args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3)) : [];
  const targets = name === 'shred' || name === 'tee' || name === 'cp' ? operands(args) : [];
  for (const target of [...writes, ...outputs, ...targets]) {
    if (device.test(target)) {
      found.push(finding('disk-write', 'high', `Writes over the disk ${target}.`, [target]));
    }
  }
  return found;
};

/** Permission and owner changes on whole trees. */
export const checkPermissions: RiskCheck = (subject) => {
  const { name, args, cwd, home } = subject;
  if (!/^(?:chmod|chown|chgrp|setfacl|chattr)$/.test(name)) return [];
  const [mode = '', ...targets] = operands(args);
  if (!hasOption(args, 'R', ['--recursive'])) return ofRoots(targets, subject);
  const open = /^0?(?:777|666|[0-7]?[0-7][2367][2367])$|[oa]\+[rx]*w/.test(mode);
  const what =
    name === 'chmod' ? 'permissions' : name === 'chattr' ? 'attributes' : 'owner or access';
  return targets.map((target) => {
    const path = absolute(target, subject);
    const inside = (cwd !== null && path.startsWith(`${cwd}/`)) || isTemporary(path);
    const level = inside && !open && path !== home ? 'low' : 'high';
    return finding('mass-permissions', level, `Changes the ${what} of everything below ${path}.`, [
      target,
    ]);
  });
};

/** What lies at the top decides for everything below, also without -R. */
function ofRoots(targets: readonly string[], subject: RiskSubject): readonly RoughFinding[] {
  return targets
    .filter((target) => /^\/(?:|etc|usr|bin|var|root|home|dev)$/.test(absolute(target, subject)))
    .map((target) =>
      finding('mass-permissions', 'high', `Changes who may use ${target}.`, [target]),
    );
}
