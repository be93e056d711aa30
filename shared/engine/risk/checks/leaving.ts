import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { hasOption, operands, valuesOf } from '../options.ts';
import type { RiskSubject } from '../subject.ts';

const own =
  /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)(?::(?![^/]*@)|[/?#]|$)/i;

/** Data that this command sends to another machine. */
export const checkLeaving: RiskCheck = (subject) => {
  switch (subject.name) {
    case 'wget':
      return wget(subject);
    case 'scp':
    case 'rsync':
    case 'sftp':
      return copies(subject);
    case 'nc':
    case 'ncat':
    case 'netcat':
    case 'telnet':
    case 'socat':
      return raw(subject);
    case 'ssh':
      if (subject.piped || subject.reads.length > 0)
        return [finding('data-leaving', 'high', 'Sends data to another machine.')];
      return hasOption(subject.args, 'RD')
        ? [finding('data-leaving', 'high', 'Opens a tunnel between this machine and another one.')]
        : [];
    case 'openssl':
      return subject.args[0] === 's_client' && (subject.piped || subject.reads.length > 0)
        ? [finding('data-leaving', 'high', 'Sends data to another machine.')]
        : [];
    case 'http':
    case 'https':
    case 'xh':
    case 'httpie':
      return httpie(subject);
    case 'mail':
    case 'mailx':
    case 'sendmail':
    case 'mutt':
    case 'msmtp':
      return [finding('data-leaving', 'high', 'Sends mail.')];
    case 'ngrok':
    case 'cloudflared':
    case 'localtunnel':
    case 'lt':
      return [finding('data-leaving', 'high', 'Opens this machine to the internet.')];
    case 'az':
      return /^storage \S+ upload/.test(subject.args.join(' '))
        ? [finding('data-leaving', 'high', 'Copies files to a store with az.')]
        : [];
    case 'aws':
    case 'gsutil':
    case 'gcloud':
    case 'rclone':
    case 's3cmd':
    case 'mc':
      return cloud(subject);
    default:
      return publishes(subject);
  }
};

function wget({ args }: RiskSubject): readonly RoughFinding[] {
  if (urls(args).every((url) => own.test(url))) return [];
  const files = valuesOf(args, ['--post-file', '--body-file']);
  if (files.length > 0)
    return [
      finding('data-leaving', 'high', `Sends ${files.join(', ')} to ${target(args)}.`, files),
    ];
  const data = valuesOf(args, ['--post-data', '--body-data']);
  return data.length > 0
    ? [finding('data-leaving', 'low', `Sends data to ${target(args)}.`, data)]
    : [];
}

function urls(args: readonly string[]): readonly string[] {
  const found = args.filter((arg) => /^[a-z]+:\/\//i.test(arg));
  return found.length > 0 ? found : operands(args).slice(-1);
}

function target(args: readonly string[]): string {
  return urls(args)[0] ?? 'another machine';
}

function copies({ name, args }: RiskSubject): readonly RoughFinding[] {
  const words = operands(args, new Set(['-e', '-i', '-P', '-p', '-o', '-F', '-J', '--rsh']));
  const last = words.at(-1) ?? '';
  const remote =
    name === 'sftp' || /^(?:[^/:]+@)?[\w.-]+:(?!\/\/)|^rsync:\/\/|^scp:\/\//.test(last);
  if (!remote || own.test(last)) return [];
  return [finding('data-leaving', 'high', `Copies files to ${last}.`, [last])];
}

function raw({ name, args, piped, reads }: RiskSubject): readonly RoughFinding[] {
  if (hasOption(args, 'z') || (name !== 'socat' && operands(args).every((word) => own.test(word))))
    return [];
  const runs =
    hasOption(args, 'ec', ['--exec', '--sh-exec']) || /exec:|system:/i.test(args.join(' '));
  if (runs) return [finding('data-leaving', 'high', 'Hands a program over to another machine.')];
  const sends = piped || reads.length > 0;
  return [
    finding(
      'data-leaving',
      sends ? 'high' : 'low',
      sends ? 'Sends data to another machine.' : 'Opens a connection to another machine.',
    ),
  ];
}

function cloud({ name, args }: RiskSubject): readonly RoughFinding[] {
  const words = operands(args);
  const copy = words.findIndex((word) => /^(?:cp|mv|sync|copy|put|rsync|mirror)$/.test(word));
  const [source = '', last = ''] = words.slice(copy + 1);
  const isRemote = (word: string) => /^(?:s3|gs|az):\/\/|^[\w-]+:/.test(word);
  if (copy < 0 || !isRemote(last) || isRemote(source)) return [];
  return [finding('data-leaving', 'high', `Copies ${source} to ${last} with ${name}.`, [last])];
}

function httpie({ args, piped, reads }: RiskSubject): readonly RoughFinding[] {
  if (urls(args).every((url) => own.test(url) || url.startsWith(':'))) return [];
  const files = args.filter((arg) => /^@|^[\w-]+:?=?@/.test(arg));
  if (files.length > 0 || piped || reads.length > 0)
    return [finding('data-leaving', 'high', `Sends data to ${target(args)}.`, files)];
  return [];
}

const publishers: Readonly<Record<string, readonly string[]>> = {
  npm: ['publish'],
  pnpm: ['publish'],
  yarn: ['publish', 'npm'],
  cargo: ['publish'],
  twine: ['upload'],
  gem: ['push'],
  docker: ['push'],
  podman: ['push'],
  poetry: ['publish'],
  uv: ['publish'],
};

function publishes({ name, args }: RiskSubject): readonly RoughFinding[] {
  const [first = '', second = ''] = operands(args);
  if (name === 'gh') return byGh(args, first, second);
  const words = Object.hasOwn(publishers, name) ? publishers[name] : undefined;
  if (words?.includes(first) !== true || args.includes('--dry-run')) return [];
  if (name === 'yarn' && first === 'npm' && second !== 'publish') return [];
  return [finding('data-leaving', 'high', `Publishes with ${name} ${first}.`, [first])];
}

function byGh(args: readonly string[], first: string, second: string): readonly RoughFinding[] {
  const publishing =
    (/^(?:gist|release)$/.test(first) && /^(?:create|edit|upload)$/.test(second)) ||
    (first === 'repo' && second === 'create' && args.some((arg) => /^--(?:push|source)/.test(arg)));
  if (publishing) return [finding('data-leaving', 'high', `Publishes with gh ${first}.`, [first])];
  const file = first === 'api' ? args.find((arg) => /=@|^--input(?:=|$)/.test(arg)) : undefined;
  return file === undefined
    ? []
    : [finding('data-leaving', 'high', `Sends a file to GitHub.`, [file])];
}
