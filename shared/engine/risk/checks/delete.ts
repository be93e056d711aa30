import type { Effect, Reading } from '../../programs/types.ts';
import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { operands } from '../options.ts';
import { absolute, isTemporary, isUnknown } from '../paths.ts';
import type { RiskSubject } from '../subject.ts';

/** Folders that a build or an installation makes again. */
const remade =
  /\/(?:node_modules|dist|build|out|target|coverage|tmp|\.cache|\.next|\.nuxt|\.turbo|\.parcel-cache|\.vite|\.nyc_output|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.gradle|__pycache__|\.venv|venv|[^/]+\.egg-info)(?:\/|$)/;

export const checkDelete: RiskCheck = (subject) => {
  const { name, reading } = subject;
  if (reading?.program === 'rm') return removal(subject, reading);
  if (reading?.program === 'find') return foundAndDeleted(subject, reading);
  if (reading?.program === 'xargs') return handedOn(reading);
  switch (name) {
    case 'srm':
      return operands(subject.args).map((target) => removalOf(target, subject));
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
      return reading === null ? prune(subject) : [];
    default:
      return [];
  }
};

function removal(subject: RiskSubject, reading: Reading): readonly RoughFinding[] {
  const gone = reading.effects.filter((one) => one.kind === 'path' && one.use === 'deletes');
  const trees = reading.options.some(({ name }) => /^(?:-r|-R|--recursive)$/.test(name));
  if (trees && gone.length === 0)
    return [finding('recursive-delete', 'high', 'Deletes every folder that it is handed.')];
  return gone.flatMap((one) => {
    if (one.kind !== 'path') return [];
    return trees ? removalOf(one.path, subject) : filesOf(one.path, one.live === true, subject);
  });
}

/** `rm -f *` deletes no folder, and every file of one. */
function filesOf(target: string, live: boolean, subject: RiskSubject): readonly RoughFinding[] {
  if (!live || !/(?:^|\/)(?:\*+|\.\*|\?\*)$/.test(target)) return [];
  const path = absolute(target.replace(/[^/]*$/, '') || '.', subject);
  const text = `Deletes every file in ${path}.`;
  return [
    finding('recursive-delete', isReplaceable(path, subject) ? 'low' : 'high', text, [target]),
  ];
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

/** `-delete`, and a command for each file that deletes it. */
function foundAndDeleted(subject: RiskSubject, reading: Reading): readonly RoughFinding[] {
  const { options, operands: folders } = reading;
  const removing = reading.effects.some(deletesFiles);
  if (!removing && !options.some(({ name }) => name === '-delete')) return [];
  const path = absolute(folders[0]?.text ?? '.', subject);
  const narrow = options.some(({ name }) => /^-(?:i?name|i?path|i?regex|empty)$/.test(name));
  const inside =
    subject.cwd !== null && (path === subject.cwd || path.startsWith(`${subject.cwd}/`));
  const what = narrow ? 'files that match' : 'everything';
  const level = (narrow && inside) || isTemporary(path) ? 'low' : 'high';
  const words = subject.args.filter((arg) => arg === '-delete');
  return [finding('recursive-delete', level, `Deletes ${what} below ${path}.`, words)];
}

function handedOn(reading: Reading): readonly RoughFinding[] {
  return reading.effects.some(deletesFiles)
    ? [finding('recursive-delete', 'low', 'Deletes each file that its input names.')]
    : [];
}

const deleting = /(?:^|\/)(?:g?rm|unlink|rmdir|srm|shred|trash)$/;

function deletesFiles(effect: Effect): boolean {
  return effect.kind === 'command' && deleting.test(effect.words[0]?.text ?? '');
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
