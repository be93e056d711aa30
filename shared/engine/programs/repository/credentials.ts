import type { FileView } from '../../plan/types.ts';
import { open, pinned, type Finding } from '../finding.ts';
import type { Reading } from '../types.ts';
import { findRepository, readText } from './find.ts';

/** A login in an address, a header that carries one, or a setting whose name says it is one. */
const credential =
  /:\/\/[^/\s:@]*:[^/\s@]+@|:\/\/[^/\s:@]{20,}@|extraheader\s*=|\b\w*(?:token|password|passwd|secret)\s*=|authorization:/i;

/** Keys whose values are no logins. */
const plainKey =
  /^(?:user|author|committer|core|init|color|alias|branch|pull|push|commit|merge|rebase|diff|fetch|log|gpg|tag|format|help|column|advice|safe|status|rerere)\./i;

/**
 * Git prints its settings: a finding where those of the repository or of the person hold a login.
 * `home` is the home folder, `directory` where git looks for its repository.
 */
export function judgeShownSettings(
  { command, options, operands }: Reading,
  { directory, home, files }: { directory: string | null; home: string; files: FileView },
): Finding {
  const [first, second] = command;
  const lists = options.some(({ name }) => /^(?:-l|--list|-v|--verbose)$/.test(name));
  const shows =
    first === 'config' ||
    (first === 'var' && lists) ||
    (first === 'ls-remote' && options.some(({ name }) => name === '--get-url')) ||
    (first === 'remote' && (lists || second === 'get-url' || second === 'show'));
  if (!shows || operands.some(({ text }) => plainKey.test(text))) return open;
  const repository = directory === null ? null : findRepository(files, directory);
  const common = repository === null || repository === 'unclear' ? [] : [repository.common];
  const paths = [
    ...common.flatMap((one) => [`${one}/config`, `${one}/config.worktree`]),
    `${home}/.gitconfig`,
    `${home}/.config/git/config`,
  ];
  const found = paths.find((path) => credential.test(readText(files, path) ?? ''));
  return found === undefined ? open : pinned(`git prints ${found}, which holds a login`);
}
