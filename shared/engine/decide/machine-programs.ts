/** Programs that act on this machine's processes, services, users or devices, by their names. */
const forTheMachine: Readonly<Record<string, string>> = {
  ...named('asks a service of this machine, which has no socket in the sandbox', [
    ...'docker podman nerdctl docker-compose podman-compose buildah skopeo ctr crictl colima lima limactl'.split(
      ' ',
    ),
    ...'minikube kind k3d vagrant virsh lxc incus multipass systemctl service journalctl loginctl'.split(
      ' ',
    ),
    ...'hostnamectl timedatectl localectl resolvectl networkctl busctl launchctl dbus-send gdbus notify-send'.split(
      ' ',
    ),
    ...'xdg-open open gpg gpg2 gpg-agent ssh-add ssh-agent secret-tool security'.split(' '),
  ]),
  ...named(
    'runs something later on this machine',
    'crontab at batch systemd-run anacron'.split(' '),
  ),
  ...named(
    'acts with the rights of somebody else',
    'sudo doas su pkexec run0 runuser sudoedit'.split(' '),
  ),
  ...named(
    'is about the processes of this machine, which the sandbox does not show',
    'ps top htop btop pgrep pidof pstree kill killall pkill lsof fuser ss netstat w who last gdb strace ltrace'.split(
      ' ',
    ),
  ),
  ...named(
    'is about the devices and settings of this machine',
    'mount umount lsblk blkid fdisk parted mkfs swapon swapoff modprobe sysctl dmesg iptables nft ufw ip ifconfig date hostname shutdown reboot halt poweroff useradd usermod userdel passwd chsh visudo'.split(
      ' ',
    ),
  ),
  ...named(
    'reaches other machines',
    'ssh scp sftp rsync nc ncat netcat socat telnet ftp ping dig nslookup host whois aria2c gh glab hub tea rustup aws gcloud az doctl flyctl vercel netlify heroku'.split(
      ' ',
    ),
  ),
};

function named(why: string, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, why]));
}

/** What changes something beyond the project although no record says so: the words behind the name. */
const beyondTheProject: readonly (readonly [names: RegExp, words: RegExp, why: string])[] = [
  [
    /^python[\d.]*$/,
    /(?:^|\/| )setup\.py .*\b(?:install|develop|upload|register)\b/,
    'installs into this machine',
  ],
  [
    /^(?:npm|pnpm|yarn|bun|cargo|gem|poetry|uv|flit|hatch|twine|dotnet|mvn|gradle)$/,
    /^(?:npm )?(?:login|logout|adduser|token|owner|access|profile|publish|unpublish|deprecate|dist-tag|team|org|hook|star|yank|push|deploy|upload)\b/,
    'changes what a registry keeps',
  ],
  [/^(?:shred|wipe|srm|truncate|dd|mkfs(?:\..+)?)$/, /./, 'destroys what is in files'],
];

/** Why what a program is told is never done unasked: completes "NAME …". Null where nothing is known. */
export function whyNotUnasked(name: string, args: readonly string[]): string | null {
  const line = args.join(' ');
  const found = beyondTheProject.find(([names, words]) => names.test(name) && words.test(line));
  return found?.[2] ?? null;
}

/** Why a program, by its base name, is of no use in a sandbox: completes "NAME …". Null: it may be. */
export function whyForMachine(name: string): string | null {
  return Object.hasOwn(forTheMachine, name) ? (forTheMachine[name] ?? null) : null;
}

/** What programs for services elsewhere do with the files of the project alone, by their first word. */
const localUses: Readonly<Record<string, RegExp>> = {
  terraform: /^(?:fmt|validate|version|-version|--version|graph|show)$/,
  tofu: /^(?:fmt|validate|version|-version|--version|graph|show)$/,
  helm: /^(?:template|lint|version|create|show)$/,
  kubectl: /^(?:kustomize|completion)$/,
  rustup: /^(?:show|which|run|doc|completions)$/,
};

/** Whether a program for services elsewhere only looks at files here, as its first word says. */
export function isLocalUse(name: string, args: readonly string[]): boolean {
  const [first] = args;
  return first !== undefined && localUses[name]?.test(first) === true;
}
