import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { hasOption, operands } from '../options.ts';
import { absolute, isTemporary, isUnknown } from '../paths.ts';
import type { RiskSubject } from '../subject.ts';

/** Folders that a build or an installation makes again. */
const remade =
  /\/(?:node_modules|dist|build|out|target|coverage|tmp|\.cache|\.next|\.nuxt|\.turbo|\.parcel-cache|\.vite|\.nyc_output|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.gradle|__pycache__|\.venv|venv|[^/]+\.egg-info)(?:\/|$)/;

export const checkDelete: RiskCheck = (subject) => {
  switch (subject.name) {
    case 'rm':
    case 'srm':
    case 'grm':
      return removal(subject);
    case 'find':
      return findDelete(subject);
    case 'git':
      return gitClean(subject);
    case 'rsync':
      return subject.args.some((arg) => /^--del(?:ete)?/.test(arg))
        ? [
            finding(
              'recursive-delete',
              'low',
              'Deletes files at the target that the source does not have.',
            ),
          ]
        : [];
    case 'docker':
    case 'podman':
      return prune(subject);
    default:
      return [];
  }
};

function removal(subject: RiskSubject): readonly RoughFinding[] {
  if (!hasOption(subject.args, 'rR', ['--recursive'])) return [];
  const targets = operands(subject.args);
  if (targets.length === 0) {
    return [finding('recursive-delete', 'high', 'Deletes every folder that it is handed.')];
  }
  return targets.map((target) => removalOf(target, subject));
}

function removalOf(target: string, subject: RiskSubject): RoughFinding {
  if (isUnknown(target)) {
    const text = `Deletes whatever ${target} stands for, with everything below.`;
    return finding('recursive-delete', 'high', text, [target]);
  }
  const path = absolute(target, subject);
  const text = `Deletes everything below ${path}.`;
  return finding('recursive-delete', isReplaceable(path, subject) ? 'low' : 'high', text, [target]);
}

function isReplaceable(path: string, { cwd, home }: RiskSubject): boolean {
  if (path === '/' || path === home || path === cwd) return false;
  if (isTemporary(path)) return true;
  return cwd !== null && path.startsWith(`${cwd}/`) && remade.test(path.slice(cwd.length));
}

function findDelete(subject: RiskSubject): readonly RoughFinding[] {
  if (!subject.args.includes('-delete')) return [];
  const where = subject.args.find((arg) => !arg.startsWith('-')) ?? '.';
  const narrow = subject.args.some((arg) => /^-(?:i?name|i?path|i?regex|empty)$/.test(arg));
  const path = absolute(where, subject);
  const inside =
    subject.cwd !== null && (path === subject.cwd || path.startsWith(`${subject.cwd}/`));
  const what = narrow ? 'files that match' : 'everything';
  const level = (narrow && inside) || isTemporary(path) ? 'low' : 'high';
  return [finding('recursive-delete', level, `Deletes ${what} below ${path}.`, ['-delete'])];
}

function gitClean({ args, cwd }: RiskSubject): readonly RoughFinding[] {
  if (operands(args, new Set(['-C', '-c']))[0] !== 'clean') return [];
  if (!hasOption(args, 'f', ['--force']) || hasOption(args, 'n', ['--dry-run'])) return [];
  const text = `Deletes every file that Git does not track in ${cwd ?? 'the repository'}.`;
  return [finding('recursive-delete', 'high', text, ['clean'])];
}

function prune({ args }: RiskSubject): readonly RoughFinding[] {
  const [first, second] = operands(args);
  if (second !== 'prune' && !(first === 'volume' && second === 'rm')) return [];
  const data = first === 'volume' || args.includes('--volumes');
  const text = data
    ? 'Deletes volumes with the data in them.'
    : `Deletes all unused ${first} data.`;
  return [finding('recursive-delete', data ? 'high' : 'low', text, [second])];
}
