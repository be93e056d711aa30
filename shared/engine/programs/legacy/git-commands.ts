/** Commands of git itself: an alias cannot take their place. Any other name may be an alias or a program. */
export const gitCommands: ReadonlySet<string> = new Set(
  `add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore
  check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit
  commit-graph commit-tree config count-objects describe diagnose diff diff-files diff-index diff-tree
  difftool fast-export fetch fetch-pack for-each-ref for-each-repo format-patch fsck gc
  get-tar-commit-id grep hash-object help index-pack init init-db interpret-trailers log ls-files
  ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree
  mktag mktree multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs patch-id prune
  prune-packed pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore
  rev-list rev-parse revert rm send-pack shortlog show show-branch show-index show-ref
  sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-file
  unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag
  version whatchanged worktree write-tree`.split(/\s+/),
);

/** Options of single commands that run programs, besides those that hold for all. */
export const gitOptions: Readonly<
  Record<
    string,
    { readonly long?: readonly string[]; readonly short?: string; readonly valued?: string }
  >
> = {
  clone: {
    long: ['upload-pack', 'config', 'template', 'separate-git-dir'],
    short: 'uc',
    valued: 'obj',
  },
  fetch: { long: ['upload-pack'], valued: 'joX' },
  pull: { long: ['upload-pack', 'strategy'], short: 's', valued: 'jorSX' },
  push: { long: ['receive-pack', 'exec'], valued: 'o' },
  'ls-remote': { long: ['upload-pack', 'exec'], valued: 'o' },
  'fetch-pack': { long: ['upload-pack', 'exec'] },
  'send-pack': { long: ['receive-pack', 'exec'] },
  archive: { long: ['exec', 'remote'], short: 'o' },
  apply: { long: ['unsafe-paths'], valued: 'pC' },
  'checkout-index': { long: ['prefix', 'stage'] },
  'fast-export': { long: ['export-marks'] },
  'index-pack': { short: 'o' },
  'read-tree': { long: ['index-output'] },
  replace: { long: ['edit'], short: 'e' },
  init: { long: ['template', 'separate-git-dir'], valued: 'b' },
  'init-db': { long: ['template', 'separate-git-dir'], valued: 'b' },
  rebase: { long: ['exec', 'interactive', 'strategy', 'edit-todo'], short: 'xis', valued: 'XCS' },
  merge: { long: ['strategy'], short: 's', valued: 'mFSX' },
  'cherry-pick': { long: ['strategy'], valued: 'mSX' },
  revert: { long: ['strategy'], valued: 'mSX' },
  grep: { long: ['open-files-in-pager'], short: 'O', valued: 'ABCefm' },
  help: { long: ['web', 'man', 'info'], short: 'wmi' },
};
