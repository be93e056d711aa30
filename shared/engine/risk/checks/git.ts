import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { hasOption, operands } from '../options.ts';

const withValue = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace']);

export const checkGit: RiskCheck = ({ name, args }) => {
  if (name !== 'git') return [];
  const command = operands(args, withValue)[0];
  const rest = command === undefined ? [] : args.slice(args.indexOf(command) + 1);
  if (command === 'push') return push(rest);
  return command === undefined ? [] : rewriting(command, rest);
};

function push(args: readonly string[]): readonly RoughFinding[] {
  const found: RoughFinding[] = [];
  if (args.some((arg) => /^--force-(?:with-lease|if-includes)/.test(arg))) {
    found.push(
      finding(
        'force-push',
        'low',
        'Replaces commits on the remote, if nobody else has pushed since.',
      ),
    );
  } else if (hasOption(args, 'f', ['--force']) || args.includes('--mirror')) {
    found.push(
      finding('force-push', 'high', 'Replaces commits on the remote; those of others may be lost.'),
    );
  }
  const [, ...refs] = operands(args, new Set(['-o', '--push-option', '--repo']));
  const forced = refs.find((ref) => ref.startsWith('+'));
  if (forced !== undefined) {
    found.push(
      finding('force-push', 'high', `Replaces the remote's ${forced.slice(1)}.`, [forced]),
    );
  }
  const removed = refs.find((ref) => ref.startsWith(':'));
  if (removed !== undefined || hasOption(args, 'd', ['--delete']) || args.includes('--prune')) {
    found.push(finding('force-push', 'high', 'Deletes a branch or tag on the remote.'));
  }
  return found;
}

/** What each subcommand does to history or to work that is not committed. */
function rewriting(command: string, args: readonly string[]): readonly RoughFinding[] {
  const [first] = operands(args);
  const high = (text: string) => [finding('history-rewrite', 'high', text, [command])];
  const low = (text: string) => [finding('history-rewrite', 'low', text, [command])];
  switch (command) {
    case 'filter-branch':
    case 'filter-repo':
      return high('Rewrites the whole history of the repository.');
    case 'reset':
      return args.includes('--hard') ? high('Throws away all changes that are not committed.') : [];
    case 'rebase':
      return hasOption(args, '', ['--abort', '--continue', '--skip'])
        ? []
        : low('Rewrites commits of this branch.');
    case 'commit':
      return args.includes('--amend') ? low('Replaces the last commit.') : [];
    case 'reflog':
      return first === 'expire' || first === 'delete'
        ? high('Removes the way back to lost commits.')
        : [];
    case 'gc':
      return args.some((arg) => arg.startsWith('--prune'))
        ? high('Removes commits that no branch holds, for good.')
        : [];
    case 'update-ref':
      return hasOption(args, 'd')
        ? high('Deletes a reference.')
        : low('Moves a reference by hand.');
    case 'checkout':
      return args.includes('--') || args.includes('.') || hasOption(args, 'f', ['--force'])
        ? low('Throws away changes that are not committed.')
        : [];
    case 'restore':
      return args.includes('--staged') && !args.includes('--worktree')
        ? []
        : low('Throws away changes that are not committed.');
    case 'branch':
      return hasOption(args, 'D') ? low('Deletes a branch even if it was never merged.') : [];
    case 'stash':
      return first === 'drop' || first === 'clear' ? low('Throws away stashed changes.') : [];
    default:
      return [];
  }
}
