import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { operands } from '../options.ts';

/** Programs that run others with more rights, or that give rights away. */
const programs: Readonly<Record<string, string>> = {
  sudo: 'Runs a program as the administrator.',
  doas: 'Runs a program as the administrator.',
  su: 'Runs a program as another user.',
  runuser: 'Runs a program as another user.',
  run0: 'Runs a program as the administrator.',
  pkexec: 'Runs a program as the administrator.',
  setcap: 'Gives a program special rights.',
  visudo: 'Changes who may become the administrator.',
  usermod: 'Changes what a user may do.',
  gpasswd: 'Changes what a user may do.',
  adduser: 'Adds a user to the machine.',
  useradd: 'Adds a user to the machine.',
  passwd: 'Changes a password.',
  chpasswd: 'Changes passwords.',
  userdel: 'Removes a user from the machine.',
  setenforce: 'Changes how the system protects itself.',
  csrutil: 'Changes how the system protects itself.',
  spctl: 'Changes how the system protects itself.',
  nsenter: 'Enters another part of the system.',
};

export const checkPrivilege: RiskCheck = ({ name, args }) => {
  const known = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (known !== undefined) return [finding('privilege', 'high', known, [name])];
  if (name === 'chmod') return setUserId(args);
  if (name === 'interlock') return gate(args);
  const opened =
    (/^ip6?tables$/.test(name) && args.some((arg) => /^-(?:F|X|P|-flush|-policy)/.test(arg))) ||
    (name === 'ufw' && /^(?:disable|reset)$/.test(args[0] ?? '')) ||
    (name === 'nft' && args[0] === 'flush');
  if (opened) return [finding('privilege', 'high', 'Takes the firewall down.', args)];
  return name === 'docker' || name === 'podman' ? container(args) : [];
};

/** Commands of Interlock that only look; the others decide what agents may do, or stop it. */
const looking =
  /^(?:check|run|pending|audit|status|doctor|help|version|test|list|show|get|export)$/;

function gate(args: readonly string[]): readonly RoughFinding[] {
  const words = operands(args);
  const [first] = words;
  const looks = words[0] === 'approvals' ? looking.test(words[1] ?? '') : looking.test(first ?? '');
  return first === undefined || looks
    ? []
    : [finding('privilege', 'high', 'Changes what Interlock itself allows.', words.slice(0, 2))];
}

function setUserId(args: readonly string[]): readonly RoughFinding[] {
  const mode = args.find((arg) => /^(?:0?[2-7][0-7]{3}|[ugoa]*\+[rwxXt]*s[rwxXt]*)$/.test(arg));
  if (mode === undefined) return [];
  return [finding('privilege', 'high', 'Lets a program run with the rights of its owner.', [mode])];
}

function container(args: readonly string[]): readonly RoughFinding[] {
  const command = operands(args)[0];
  if (command !== 'run' && command !== 'create' && command !== 'exec') return [];
  const found: RoughFinding[] = [];
  for (const arg of args) {
    if (/^--(?:privileged|pid=host|cap-add|device)/.test(arg)) {
      found.push(
        finding('privilege', 'high', 'Gives the container the rights of this machine.', [arg]),
      );
    }
    const mount =
      /^(?:--volume=|-v|--mount=)?(?:type=bind,)?(?:source=|src=)?(\/|\/etc|\/root|\/var\/run\/docker\.sock|\/home)[:,]/.exec(
        arg,
      );
    if (mount !== null) {
      found.push(
        finding('privilege', 'high', `Opens ${mount[1]} of this machine to the container.`, [arg]),
      );
    }
  }
  return found;
}
