import { recordOf } from './list.ts';

/** Programs that act on this machine's processes, services, users or devices, by their names. */
const forTheMachine: Readonly<Record<string, string>> = {
  ...named('asks a service of this machine, which has no socket in the sandbox', [
    ...'docker podman nerdctl act docker-compose podman-compose buildah skopeo ctr crictl colima lima limactl'.split(
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
    'ps top htop btop pgrep pidof pstree kill killall pkill lsof fuser ss netstat w who last gdb strace ltrace jps jcmd jmap jstack jstat jinfo jhsdb jconsole visualvm py-spy rbspy pm2 supervisorctl sidekiqctl pumactl overmind'.split(
      ' ',
    ),
  ),
  ...named(
    'is about the devices and settings of this machine',
    'mount umount lsblk blkid fdisk parted mkfs swapon swapoff modprobe sysctl dmesg iptables nft ufw ip ifconfig date hostname shutdown reboot halt poweroff useradd usermod userdel passwd chsh visudo adb fastboot emulator xcrun xcodebuild codesign notarytool simctl devicectl ios-deploy idevicesyslog defaults openocd nrfjprog nrfutil esptool esptool.py pyocd probe-rs st-flash st-util dfu-util avrdude picotool JLinkExe stm32flash bossac minicom picocom cu lsusb lspci'.split(
      ' ',
    ),
  ),
  ...named(
    'reaches other machines',
    'ssh scp sftp rsync nc ncat netcat socat telnet ftp ping dig nslookup host whois aria2c gh glab hub tea rustup aws gcloud az doctl flyctl vercel netlify heroku wandb kaggle huggingface-cli hf rclone s3cmd mc gcloud firebase supabase railway render cf oc doppler fastlane nats kcat kafkacat kafka-topics mosquitto_pub mosquitto_sub rabbitmqadmin'.split(
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
  [
    /^(?:gradlew?|mvnw?|sbt|ant|lein|msbuild|nx|turbo|lerna|changeset|semantic-release|fastlane|bazel)$/,
    /(?:^|[ :])(?:publish|upload|deploy|release|closeAndRelease|bintray|migrate)/i,
    'publishes or changes more than this project',
  ],
  [
    /^(?:npm|pnpm|yarn|bun|pip3?|conda|mamba|git)$/,
    /^(?:config set|config --set)\b/,
    'changes a setting that lasts',
  ],
  [
    /^git$/,
    /^lfs (?:push|fetch|pull|install|uninstall|migrate)\b/,
    'reaches the server of large files',
  ],
  [
    /^(?:conda|mamba|micromamba|pyenv|rbenv|nvm|sdkman|asdf|mise|volta|rye|pipx)$/,
    /^(?:env )?(?:install|create|update|upgrade|remove|uninstall|rename|use|global)\b/,
    'installs into this machine',
  ],
  [
    /^(?:flutter|dart)$/,
    /^(?:--?\S+ )*(?:(?:packages )?pub (?:add|remove|get|upgrade|downgrade|global|publish|login|logout|token|cache|lish|unpack)|upgrade|downgrade|channel|run -|run$|install|attach|drive|precache|emulators|logs|screenshot|config --(?!list))/,
    'fetches packages, changes this machine or speaks to a device',
  ],
  [/^packer$/, /^(?:build|init|plugins|console)\b/, 'fetches plug-ins or builds on other machines'],
  [
    /^(?:sdkmanager|avdmanager)$/,
    /(?:^|\s)(?:--install|--uninstall|--update|--licenses|create|delete|move|[\w-]+;)/,
    'installs into this machine',
  ],
  [
    /^jupyter$/,
    /^(?:notebook|lab|server|nbclassic|console|qtconsole|labextension|serverextension)\b/,
    'opens a server on this machine',
  ],
  [
    /^mix$/,
    /^(?:do )?(?:hex\.(?!info|outdated|audit|search)|(?:deps\.(?:get|update)|local|archive|escript\.(?:un)?install)\b)/,
    'fetches or publishes packages, or installs into this machine',
  ],
  [
    /^dotnet$/,
    /^(?:nuget (?:push|delete|add|remove|update|sign|trust)|(?:tool|workload|new) (?:install|update|uninstall|restore)|add(?: \S+)? package|dev-certs|user-secrets)\b/,
    'fetches or publishes packages, or installs into this machine',
  ],
  [
    /^swift$/,
    /^package (?:.* )?(?:update|resolve|reset|purge-cache|edit|unedit|config|sdk|plugin)\b/,
    'fetches packages or changes what lasts',
  ],
  [/^cargo$/, /^nextest self\b/, 'installs into this machine'],
  [
    /^(?:cmake|ninja|ninja-build|samu|meson|make|gmake)$/,
    /(?:^|\s)(?:--install|(?:un)?install(?:[-/:]\S*)?|deploy|upload|publish|release)(?:\s|$)/,
    'installs, or changes more than this project',
  ],
  [
    /^composer$/,
    /^(?:run-script|run|exec)? ?(?:deploy|release|publish)\b/,
    'publishes or changes more than this project',
  ],
  [
    /^(?:just|task|go-task)$/,
    /(?:^|[\s:_-])(?:(?:un)?install|deploy|upload|publish|release|migrate|push)(?:[\s:_-]|$)/,
    'installs, or changes more than this project',
  ],
  [
    /^buf$/,
    /^(?:push|registry|beta registry|dep update|mod update|plugin push)\b/,
    'changes what a registry keeps, or fetches from it',
  ],
  [
    /^dvc$/,
    /^(?:pull|push|fetch|import|import-url|get|get-url|update|gc|remote|config|cache|install|exp (?:push|pull|remove)|destroy)\b/,
    'fetches or sends data, deletes what is kept, or changes a setting that lasts',
  ],
  [
    /^(?:cargo|go)$/,
    /^run (?:.* )?(?:--|\.\S*|\S*xtask) (?:release|deploy|publish|upload|install|push)\b/,
    'is told to publish, deploy or install by a program of the project',
  ],
  [
    /^ansible-galaxy$/,
    /^(?:(?:collection|role) )?(?:install|download|remove|delete|import|setup|publish|login)\b/,
    'fetches or publishes packages, or installs into this machine',
  ],
  [
    /^go$/,
    /^(?:run (?:-\S+ )*\w[\w-]*\.[\w.-]+\/\S+|clean .*-(?:modcache|cache|fuzzcache)\b)/,
    'fetches code from elsewhere, or deletes what lies outside of the project',
  ],
  [
    /^west$/,
    /^(?:-\S+ )*(?:flash|debug|debugserver|attach|rtt|update|init|sign|sdk|packages|blobs|config|spdx)\b|-t (?:flash|debug|debugserver|menuconfig)\b/,
    'speaks to a board, fetches, signs, or changes a setting that lasts',
  ],
  [
    /^pre-commit$/,
    /^(?:install|uninstall|autoupdate|install-hooks|init-templatedir)\b/,
    'changes what Git runs, or fetches programs for it',
  ],
  [/^gradlew?$/, /(?:^|[ :])wrapper\b/, 'changes the wrapper that later builds run'],
  [
    /^(?:goreleaser|semantic-release|release-it|np|jreleaser)$/,
    /^(?!(?:check|healthcheck|init|completion|schema|--version|--help)\b)(?!.*--(?:snapshot|dry-run))/,
    'publishes',
  ],
  [
    /^(?:migrate|goose|dbmate|atlas|liquibase|sqitch|tern|diesel|sqlx|sea-orm-cli)$/,
    /(?:^|[ :])(?:up|up-to|up-by-one|down|down-to|redo|reset|drop|force|goto|apply|migrate|run|update|rollback|deploy|revert|create|setup)(?: |$)/,
    'changes a database in ways that undoing files does not take back',
  ],
  [/^git$/, /^lfs prune\b/, 'deletes what Git keeps of large files'],
  [
    /^composer$/,
    /^(?:global|config .*(?:-g\b|--global|--auth|oauth|token|bearer|http-basic)|create-project|self-update)\b/,
    'changes a setting or a program that lasts',
  ],
  [
    /./,
    /(?:^|[ /])(?:artisan (?:migrate(?!:status)\b|db:(?:wipe|seed)\b|key:generate\b|tinker\b)|console doctrine:(?:database:drop|schema:(?:drop|update)|migrations:migrate)\b|manage\.py (?:migrate|flush|reset_db|dbshell|createsuperuser|changepassword|loaddata|clearsessions)\b|prisma (?:migrate (?:reset|deploy)|db push)\b|ecto\.(?:drop|reset|migrate)\b|ef database (?:drop|update)\b|db:(?:drop|reset|purge|wipe|migrate(?!:status)|rollback)\b|alembic (?:upgrade|downgrade)\b|flyway (?:clean|migrate)\b|sequelize db:|knex migrate:)/,
    'changes a database in ways that undoing files does not take back',
  ],
  [/^(?:shred|wipe|srm|truncate|dd|mkfs(?:\..+)?)$/, /./, 'destroys what is in files'],
];

/**
 * First words by which programs say that they change something elsewhere or install. Where nothing
 * else is known of a program, one that says so is better asked about than left to fail.
 */
const leaving =
  /^(?:push|publish|upload|deploy|release|submit|login|logout|register|install|uninstall|self-update|migrate)$/;

/** The same for programs of which nothing is known, by those of their words that are not options. */
function whyUnknownNotUnasked(args: readonly string[]): string | null {
  const said = args.filter((text) => !text.startsWith('-')).slice(0, 2);
  const word = said.find((text) => leaving.test(text));
  return word === undefined ? null : `is told to ${word}, and nothing else is known of it`;
}

/** Why what a program is told is never done unasked: completes "NAME …". Null where nothing is known. */
export function whyNotUnasked(name: string, args: readonly string[]): string | null {
  const line = args.join(' ');
  const found = beyondTheProject.find(([names, words]) => names.test(name) && words.test(line));
  return found?.[2] ?? (recordOf(name) === null ? whyUnknownNotUnasked(args) : null);
}

/** Why a program, by its base name, is of no use in a sandbox: completes "NAME …". Null: it may be. */
export function whyForMachine(name: string): string | null {
  return Object.hasOwn(forTheMachine, name) ? (forTheMachine[name] ?? null) : null;
}

/** What programs for services elsewhere do with the files of the project alone, by their first word. */
const localUses: Readonly<Record<string, RegExp>> = {
  'ansible-playbook': /^--(?:syntax-check|list-(?:tasks|hosts|tags))$/,
  terraform: /^(?:fmt|validate|providers|version|-version|--version|graph|show)$/,
  tofu: /^(?:fmt|validate|version|-version|--version|graph|show)$/,
  helm: /^(?:template|lint|version|create|show)$/,
  kubectl: /^(?:kustomize|completion)$/,
  rustup: /^(?:show|which|run|doc|completions)$/,
};

/** Whether a program for services elsewhere only looks at files here, as its first word says. */
export function isLocalUse(name: string, args: readonly string[]): boolean {
  const uses = localUses[name];
  if (uses === undefined) return false;
  // What Ansible only lists it says by an option, wherever that stands.
  if (name.startsWith('ansible')) return args.some((text) => uses.test(text));
  // Terraform names the folder in front of its command.
  const first = args.find((text) => !text.startsWith('-chdir='));
  return first !== undefined && uses.test(first);
}

/** Code that starts programs or deletes: a text that hides nothing is asked about as it reads. */
const telling =
  /\bsystem\b|\bSystem\.cmd\b|:os\.cmd\b|\bPort\.open\b|subprocess|popen|exec(?!utable\b)|spawn|child_process|rmtree|unlink|rmSync|rmdir|os\.remove|FileUtils|\beval\b|__import__|base64/;

/** Code that says that it talks to other machines, which it could not there. */
const reaching =
  /\brequests\.(?:get|post|put|patch|delete|request|Session)\b|\burlopen\b|\bhttpx?\.(?:get|post|request|Client|client)\b|\bsocket\.(?:socket|create_connection)\b|\bfetch\s*\(\s*['"`]https?:|\baxios\b|\bhttps?\.(?:get|request)\s*\(|Net::HTTP|LWP::|HTTP::Tiny|IO::Socket/;

/** What code says that it does: reaches other machines, or starts programs, deletes or hides. */
export function toldByCode(code: string): 'reaches' | 'acts' | null {
  if (reaching.test(code)) return 'reaches';
  return telling.test(code) ? 'acts' : null;
}

const ports: Readonly<Record<string, number>> = {
  curl: 80,
  wget: 80,
  http: 80,
  xh: 80,
  psql: 5432,
  pg_isready: 5432,
  mysql: 3306,
  mariadb: 3306,
  'redis-cli': 6379,
  mongosh: 27_017,
};

/** The port that a program reaches where its words name none; 80 only where an address would say another. */
export function portOfProgram(name: string): number | null {
  return Object.hasOwn(ports, name) ? (ports[name] ?? null) : null;
}

/** Options of curl that name no other way, take none from a file or an answer, and no value besides. */
const plainOption =
  /^(?:-[sSfiIvN]+|-[XHdm]|--(?:silent|show-error|fail|include|head|verbose|no-buffer|request|header|data|data-raw|json|max-time|retry|retry-delay|retry-connrefused))$/;

/** Whether a program reaches the addresses that its words name, and nothing leads from those elsewhere. */
export function asksOnlyAddresses(name: string, args: readonly string[]): boolean {
  return name === 'curl' && args.every((word) => !word.startsWith('-') || plainOption.test(word));
}

const ofProcesses = /^(?:ps|pgrep|pidof|pstree|pkill|killall|lsof|fuser|ss|netstat)$/;

/** Whether a program shows or ends processes and sockets of where it runs. */
export function looksAtProcesses(name: string): boolean {
  return ofProcesses.test(name);
}
