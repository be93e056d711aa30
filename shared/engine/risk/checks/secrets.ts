import { finding } from '../finding.ts';
import type { RiskCheck } from '../finding.ts';

/** Commands that print a secret, by the words that they begin with. */
const printing: readonly (readonly [command: RegExp, what: string])[] = [
  [/^gh auth (?:token|status .*(?:-t|--show-token))/, 'the GitHub login'],
  [/^gcloud auth (?:print-|application-default print-)/, 'Google Cloud credentials'],
  [
    /^aws (?:secretsmanager (?:get|batch-get)-secret|ssm get-parameters?.* --with-decryption|sts get-session-token|configure (?:get|export-credentials)|ecr get-login)/,
    'AWS credentials',
  ],
  [/^az (?:account get-access-token|keyvault secret (?:show|download))/, 'Azure credentials'],
  [/^(?:kubectl|oc) get secrets?\b.*(?:-o|--output)/, 'secrets of a cluster'],
  [/^kubectl config view\b.*--raw/, 'Kubernetes credentials'],
  [/^vault (?:kv get|read|print token|token)/, 'a secret of Vault'],
  [
    /^(?:pass|gopass) (?:show\b|-c\b|(?!ls\b|list\b|find\b|search\b|git\b|init\b|help\b|version\b|insert\b|generate\b)\w)/,
    'a password',
  ],
  [/^op (?:item get|read|inject|document get)/, 'a secret of 1Password'],
  [/^bw (?:get|export)/, 'a secret of Bitwarden'],
  [/^security (?:find-(?:generic|internet)-password|export|dump-keychain)/, 'the keychain'],
  [/^secret-tool (?:lookup|search)/, 'the keyring'],
  [/^gpg2?\b.* --export-secret/, 'GnuPG keys'],
  [/^(?:npm|pnpm) (?:token|config get .*(?:auth|token|password))/, 'npm tokens'],
  [/^heroku (?:auth:token|config)/, 'settings that usually hold secrets'],
  [/^doppler (?:secrets|run)/, 'secrets of Doppler'],
  [/^git credential fill/, 'Git passwords'],
  [/^sops\b.* (?:-d|--decrypt)|^sops (?:-d|--decrypt|decrypt)/, 'secrets'],
  [/^ansible-vault (?:view|decrypt)/, 'secrets'],
];

const worthALook = new Set(
  'gh gcloud aws az kubectl oc vault pass gopass op bw security secret-tool gpg gpg2 npm pnpm heroku doppler git sops ansible-vault'.split(
    ' ',
  ),
);

export const checkPrintedSecrets: RiskCheck = ({ name, args }) => {
  if (!worthALook.has(name)) return [];
  const line = [name, ...args].join(' ');
  const found = printing.find(([command]) => command.test(line));
  return found === undefined
    ? []
    : [finding('credential-path', 'high', `Prints ${found[1]}.`, args.slice(0, 2))];
};
