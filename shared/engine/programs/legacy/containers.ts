import type { Argument } from '../types.ts';
import { literal } from '../../plan/expand.ts';
import { skipOptions, type OptionGrammar } from '../../plan/wrappers.ts';
import { carriedText, carriedWords, never, open, pinned, type Finding } from './judge.ts';

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

const plainDocker = set(
  `attach build builder buildx commit context cp diff events export history image images import info
  inspect kill load login logout logs network node pause port ps pull push rename restart rm rmi save
  search secret service stack start stats stop swarm system tag top unpause update version volume wait
  manifest trust container compose`,
);
const runsDocker = set('exec run create');
const dockerValued =
  /^(?:-[evwupmhl]|--(?:env|env-file|volume|mount|workdir|user|publish|name|network|net|memory|cpus|entrypoint|hostname|label|platform|gpus|add-host|device|cap-add|cap-drop|security-opt|restart|tmpfs|ulimit|shm-size|pull|cidfile|detach-keys|file|profile|project-name|project-directory|index))$/;

/** `docker` and its like: what runs in a container, or with other settings, is pinned. */
export function judgeDocker(args: readonly Argument[], program: string): Finding {
  const [first] = args;
  if (first === undefined) return open;
  if (first.text.startsWith('-'))
    return args.length === 1
      ? open
      : pinned(`an option of ${program} chooses another machine or settings`);
  const nested = first.text === 'compose' || first.text === 'container' || first.text === 'buildx';
  const rest = nested ? afterFlags(args.slice(1)) : args;
  const command = rest[0]?.text ?? '';
  if (runsDocker.has(command)) {
    // The first operand is the container or image; what follows runs inside it.
    const inside = afterFlags(rest.slice(1)).slice(1);
    return pinned(`${program} ${command} runs a command in a container`, carriedWords(inside));
  }
  if (nested)
    return args.some(({ text }) => runsDocker.has(text) && text !== 'create')
      ? pinned(`${program} runs a command in a container`)
      : open;
  return plainDocker.has(command) ? open : pinned(`${program} ${command} may be a plug-in`);
}

function afterFlags(args: readonly Argument[]): readonly Argument[] {
  let at = 0;
  while (args[at]?.text.startsWith('-') === true)
    at += dockerValued.test(args[at]?.text ?? '') ? 2 : 1;
  return args.slice(at);
}

const plainKubectl = set(
  `annotate api-resources api-versions apply auth autoscale certificate cluster-info completion cordon
  cp create delete describe diff drain explain expose get label logs options patch port-forward replace
  rollout scale set taint top uncordon version wait kustomize`,
);

/** `kubectl`: commands inside a cluster, plug-ins and other settings are pinned. */
export function judgeKubectl(args: readonly Argument[]): Finding {
  if (
    args.some(
      ({ text }) =>
        /^--(?:kubeconfig|kuberc|as|as-group|server|token|exec-|enable-exec|enable-helm|enable-alpha|helm-command)/.test(
          text,
        ) || text === '-s',
    )
  )
    return pinned('an option of kubectl chooses other settings');
  const words = args.filter(
    (_, index) =>
      !/^(?:-n|--namespace|--context|--cluster|--user)$/.test(args[index - 1]?.text ?? ''),
  );
  const command = words.find((arg) => !arg.text.startsWith('-'))?.text;
  if (command === undefined) return open;
  if (command === 'exec' || command === 'run' || command === 'debug') {
    const end = args.findIndex((arg) => arg.text === '--');
    return pinned(
      `kubectl ${command} runs a command in the cluster`,
      end === -1 ? [] : carriedWords(args.slice(end + 1)),
    );
  }
  return plainKubectl.has(command)
    ? open
    : pinned(`kubectl ${command} starts other programs or may be a plug-in`);
}

const sshOptions: OptionGrammar = {
  flags: '46AaCfGgKkMNnqsTtVvXxYy',
  valued: 'BbcDEeFIiJLlmOoPpQRSWw',
  long: {},
};

/** `ssh`, which runs a command on another machine, and programs here that its options name. */
export function judgeSsh(args: readonly Argument[]): Finding {
  const at = skipOptions([literal('ssh'), ...args], sshOptions);
  if (at === null) return never('ssh is called with options that are not understood');
  const command = args.slice(at);
  if (command.length === 0) return never('ssh runs whatever it is given as input');
  const text = command.map((arg) => arg.text).join(' ');
  return pinned('ssh runs commands on another machine', carriedText(text));
}
