import type { Setting } from './config.ts';

/** Settings whose value git starts, loads, or goes by to another place; keys in full. */
const starting: readonly RegExp[] = [
  /^core\.(?:hookspath|sshcommand|editor|pager|gitproxy|askpass|alternaterefscommand|worktree)$/,
  /^(?:pager|include|includeif|protocol|difftool|mergetool|browser|man|guitool|lfs\.(?:customtransfer|extension))\./,
  /^(?:sequence\.editor|interactive\.difffilter|init\.templatedir|imap\.tunnel|gc\.recentobjectshook)$/,
  /^lfs\.standalonetransferagent$/,
  /^(?:pull\.(?:twohead|octopus)|branch\..*\.mergeoptions)$/s,
  /^remote\..*\.(?:uploadpack|receivepack|vcs|proxy)$/s,
  /^url\..*::.*\.(?:insteadof|pushinsteadof)$/s,
  // Tools invent names of this kind all the time.
  /[.-](?:command|cmd|program|path|editor|pager|helper|hook|hooks|driver|external|textconv|process|clean|smudge|tool|exec|viewer|tunnel|defaultkeycommand)$|(?:command|program|hook|helper|textconv)$/,
];

/** What git, its common additions and hosts write into every repository. */
const harmless: readonly ((setting: Setting) => boolean)[] = [
  ({ key }) => /^submodule\..*\.path$|^(?:remote|branch)\..*\.(?:path|tool)$/s.test(key),
  ({ key }) => /^(?:merge|diff)\.(?:gui)?tool$/.test(key),
  // Large files: the additions that `git lfs install --local` makes.
  ({ key, value }) =>
    /^filter\.lfs\.(?:clean|smudge|process)$/.test(key) &&
    /^git-lfs (?:(?:clean|smudge(?: --skip)?) -- %f|filter-process(?: --skip)?)$/.test(value),
  // A helper by its plain name is one of those that git itself brings.
  ({ key, value }) => /^credential\.(?:.*\.)?helper$/s.test(key) && /^[a-z]*$/.test(value),
  ({ value }) => value === '',
];

const yes = /^(?:true|false|yes|no|on|off|0|1)?$/i;

/** Why a setting may start a program, or null: words that complete "KEY, which …". */
export function whyStarts(setting: Setting): string | null {
  const { key, value } = setting;
  if (key === 'core.fsmonitor') return yes.test(value) ? null : 'names a program that git starts';
  if (/^submodule\..*\.update$/s.test(key))
    return value.startsWith('!') ? 'holds a command that git runs' : null;
  if (/^remote\..*\.(?:url|pushurl)$/s.test(key))
    return /^[A-Za-z][\w+.-]*::|^ssh:\/\/-|^-/.test(value)
      ? 'names a transport that starts programs'
      : null;
  if (harmless.some((test) => test(setting))) return null;
  return starting.some((pattern) => pattern.test(key))
    ? 'can name what git starts, or settings elsewhere'
    : null;
}
