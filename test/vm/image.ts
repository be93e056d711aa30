import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** What the machine is made of: systemd as on a server, logind, and what the tests look with. */
const packages = [
  'systemd',
  'systemd-sysv',
  'dbus',
  'dbus-user-session',
  'libpam-systemd',
  'libglib2.0-bin',
  'e2fsprogs',
  'initramfs-tools',
  'kmod',
  'linux-image-cloud-amd64',
  'passwd',
  'procps',
  'sudo',
  'udev',
  'util-linux',
];

/** `alice` has a service of her own and is a guest of the machine's; `mallory` is nobody's guest. */
export const people = { alice: 1001, bob: 1002, mallory: 1003 } as const;
export type Person = keyof typeof people;

const agentUnit = `[Unit]
Description=Hand of the tests
After=multi-user.target systemd-logind.service
[Service]
ExecStart=/opt/node/node /opt/guest-agent.mjs
Restart=always
KillMode=process
OOMScoreAdjust=-900
[Install]
WantedBy=multi-user.target
`;

/** The files that a boot needs. */
export interface Image {
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
}

const run = (tool: string, ...args: readonly string[]): string =>
  execFileSync(tool, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/**
 * Builds the machine's disk with mmdebstrap, or takes the one of the last time. As root: files of
 * the image have owners. `checkout` is where the guest's agent is.
 */
export function buildImage(folder: string, checkout: string): Image {
  const agent = readFileSync(join(checkout, 'test', 'fixtures', 'vm', 'guest-agent.mjs'), 'utf8');
  const recipe = JSON.stringify([packages, people, agent, agentUnit, process.version, slow, 3]);
  const name = createHash('sha256').update(recipe).digest('hex').slice(0, 12);
  const place = join(folder, `image-${name}`);
  const image = {
    disk: join(place, 'disk.ext4'),
    kernel: join(place, 'vmlinuz'),
    initrd: join(place, 'initrd.img'),
  };
  if (existsSync(place)) return image;
  for (const old of readdirSync(folder).filter((entry) => entry.startsWith('image-')))
    rmSync(join(folder, old), { recursive: true });
  const root = join(folder, 'root');
  const draft = join(folder, 'draft');
  for (const path of [root, draft]) rmSync(path, { recursive: true, force: true });
  mkdirSync(draft);
  run(
    'nice',
    'mmdebstrap',
    '--variant=minbase',
    `--include=${packages.join(',')}`,
    'bookworm',
    root,
  );
  furnish(root, agent);
  const boot = join(root, 'boot');
  for (const [prefix, to] of [
    ['vmlinuz-', 'vmlinuz'],
    ['initrd.img-', 'initrd.img'],
  ] as const) {
    const from = readdirSync(boot).find((entry) => entry.startsWith(prefix));
    if (from === undefined) throw new Error(`the image has no ${prefix}`);
    copyFileSync(join(boot, from), join(draft, to));
  }
  run('truncate', '--size=1800M', join(draft, 'disk.ext4'));
  run('mkfs.ext4', '-q', '-d', root, join(draft, 'disk.ext4'));
  rmSync(root, { recursive: true });
  renameSync(draft, place);
  return image;
}

const slow = '[Manager]\nDefaultTimeoutStartSec=600\n';

function drop(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
}

function furnish(root: string, agent: string): void {
  mkdirSync(join(root, 'opt', 'node'));
  copyFileSync(process.execPath, join(root, 'opt', 'node', 'node'));
  chmodSync(join(root, 'opt', 'node', 'node'), 0o755);
  writeFileSync(join(root, 'opt', 'guest-agent.mjs'), agent);
  const units = join(root, 'etc', 'systemd', 'system');
  writeFileSync(join(units, 'test-agent.service'), agentUnit);
  mkdirSync(join(units, 'multi-user.target.wants'), { recursive: true });
  symlinkSync(
    '/etc/systemd/system/test-agent.service',
    join(units, 'multi-user.target.wants', 'test-agent.service'),
  );
  writeFileSync(join(root, 'etc', 'fstab'), '/dev/vda / ext4 defaults 0 1\n');
  writeFileSync(join(root, 'etc', 'hostname'), 'gate\n');
  // A processor that is imitated, on a busy machine, takes longer to start a runner than 90 s.
  for (const manager of ['system', 'user'])
    drop(join(root, 'etc', 'systemd', `${manager}.conf.d`), 'slow.conf', slow);
  writeFileSync(join(root, 'etc', 'hosts'), '127.0.0.1 localhost gate\n');
  for (const [name, uid] of Object.entries(people))
    run(
      'chroot',
      root,
      'useradd',
      '--create-home',
      '--shell',
      '/bin/bash',
      '--uid',
      String(uid),
      name,
    );
  for (const path of [
    'usr/share/doc',
    'usr/share/man',
    'usr/share/locale',
    'var/lib/apt/lists',
    'var/cache/apt',
  ])
    rmSync(join(root, path), { recursive: true, force: true });
}

/** Where the disk with a package is; null is the version of the checkout. */
export function packagePath(folder: string, version: string | null): string {
  return join(folder, `${version === null ? 'package' : `package-${version}`}.ext4`);
}

/** Packs the checkout as `npm pack` does, installs that, and puts what npm made on a disk of its own. */
export function packageDisk(folder: string, checkout: string, version: string | null): string {
  const disk = packagePath(folder, version);
  const stage = disk.replace(/\.ext4$/u, '');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(join(stage, 'bin'), { recursive: true });
  const npm = (...args: readonly string[]): string =>
    execFileSync('npm', [...args, '--ignore-scripts', '--loglevel=error'], {
      cwd: checkout,
      encoding: 'utf8',
    });
  const archive = npm('pack', '--pack-destination', folder).trim();
  npm(
    'install',
    '--global',
    '--prefix',
    stage,
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    join(folder, archive),
  );
  rmSync(join(folder, archive));
  // A build that goes on beside this one would leave a package without its program.
  accessSync(join(stage, 'bin', 'interlock'));
  copyFileSync(process.execPath, join(stage, 'bin', 'node'));
  chmodSync(join(stage, 'bin', 'node'), 0o755);
  if (version !== null) renumber(stage, version);
  run('chown', '-R', '0:0', stage);
  rmSync(disk, { force: true });
  run('truncate', '--size=300M', disk);
  run('mkfs.ext4', '-q', '-d', stage, disk);
  rmSync(stage, { recursive: true });
  return disk;
}

/** The same program under another number: what an upgrade looks like to whoever asks for it. */
function renumber(stage: string, version: string): void {
  const root = join(stage, 'lib', 'node_modules', '@interlock-gate', 'interlock');
  const path = join(root, 'package.json');
  const about = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...about, version }));
}
