type Kind = 'read' | 'write' | 'change' | 'touch' | 'delete';

/** What one line did to the machine, as the kernel was asked for it. */
export type Happening =
  | { readonly kind: 'start'; readonly path: string; readonly words: readonly string[] }
  /** `touch` sets times and nothing else, `change` what belongs to the file a link leads to. */
  | { readonly kind: Kind; readonly path: string }
  | { readonly kind: 'reach'; readonly address: string };

/** The calls that are looked at: what starts, opens, changes, deletes or reaches something. */
export const calls =
  `execve execveat open openat openat2 creat unlink unlinkat rename renameat renameat2 mkdir mkdirat
  rmdir link linkat symlink symlinkat truncate chmod fchmod fchmodat chown fchown lchown fchownat
  mknod mknodat utime utimes utimensat futimesat setxattr lsetxattr fsetxattr connect sendto chdir
  fchdir clone clone3 fork vfork`.split(/\s+/);

interface Call {
  readonly pid: string;
  readonly name: string;
  readonly args: readonly string[];
  /** What stands behind the equals sign. */
  readonly result: string;
}

/**
 * Reads what `strace -f -y -o` wrote, and calls `see` for each call that ended, in their order; the
 * end of a process is the call `end`.
 */
function eachCall(text: string, see: (call: Call) => void): void {
  const begun = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, pid = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith(' <unfinished ...>')) {
      begun.set(pid, rest.slice(0, -' <unfinished ...>'.length));
      continue;
    }
    if (rest.startsWith('+++ ')) {
      see({ pid, name: 'end', args: [], result: '' });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const whole = resumed === null ? rest : `${begun.get(pid) ?? ''}${resumed[1] ?? ''}`;
    const open = whole.indexOf('(');
    const close = whole.lastIndexOf(') ');
    const equals = whole.indexOf('= ', close);
    if (open < 1 || close < open || equals < 0) continue;
    see({
      pid,
      name: whole.slice(0, open),
      args: split(whole.slice(open + 1, close)),
      result: whole.slice(equals + 2),
    });
  }
}

/** Splits at commas outside of strings and brackets. */
function split(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at];
    if (quoted) {
      if (one === '\\') at += 1;
      else if (one === '"') quoted = false;
    } else if (one === '"') quoted = true;
    else if (one === '[' || one === '{' || one === '<') depth += 1;
    else if (one === ']' || one === '}' || one === '>') depth -= 1;
    else if (one === ',' && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12 };

/** A string as strace prints it. */
function textOf(printed: string): string {
  return unescaped(printed.slice(printed.indexOf('"') + 1, printed.lastIndexOf('"')));
}

function unescaped(inner: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < inner.length; at += 1) {
    if (inner[at] !== '\\') {
      bytes.push(inner.charCodeAt(at));
      continue;
    }
    const octal = /^[0-7]{1,3}/.exec(inner.slice(at + 1))?.[0];
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(escapes[inner[at + 1] ?? ''] ?? inner.charCodeAt(at + 1));
    at += octal === undefined ? 1 : octal.length;
  }
  return Buffer.from(bytes).toString('utf8');
}

/** The path behind a file number: `3</tmp/x>`. */
function numbered(printed: string): string | null {
  const path = /^(?:AT_FDCWD|-?\d+)<(.*)>(?:\(deleted\))?$/.exec(printed)?.[1];
  return path === undefined ? null : unescaped(path);
}

/** Which arguments are a path (or a folder and a path), and what the call does with it. */
const shapes: Readonly<Record<string, readonly (readonly [Kind, number, boolean])[]>> = {
  creat: [['write', 0, false]],
  unlink: [['delete', 0, false]],
  unlinkat: [['delete', 0, true]],
  rmdir: [['delete', 0, false]],
  rename: [
    ['delete', 0, false],
    ['write', 1, false],
  ],
  renameat: [
    ['delete', 0, true],
    ['write', 2, true],
  ],
  renameat2: [
    ['delete', 0, true],
    ['write', 2, true],
  ],
  mkdir: [['write', 0, false]],
  mkdirat: [['write', 0, true]],
  link: [['write', 1, false]],
  linkat: [['write', 2, true]],
  symlink: [['write', 1, false]],
  symlinkat: [['write', 1, true]],
  truncate: [['change', 0, false]],
  chmod: [['change', 0, false]],
  fchmodat: [['change', 0, true]],
  chown: [['change', 0, false]],
  lchown: [['write', 0, false]],
  fchownat: [['write', 0, true]],
  mknod: [['write', 0, false]],
  mknodat: [['write', 0, true]],
  utime: [['touch', 0, false]],
  utimes: [['touch', 0, false]],
  futimesat: [['touch', 0, true]],
  utimensat: [['touch', 0, true]],
  setxattr: [['change', 0, false]],
  lsetxattr: [['write', 0, false]],
  fchmod: [['change', 0, false]],
  fchown: [['change', 0, false]],
  fsetxattr: [['change', 0, false]],
};

/** Refused by the rights of the user: it was tried, and elsewhere it would have been done. */
const tried = /^-1 (?:EACCES|EPERM|EROFS)/;

/**
 * What each line did. The shell that works through them stands in folder `folderOf(line)` while it
 * starts one; `first` says which process it is.
 */
export function happenings(
  text: string,
  lineOf: (folder: string) => number | null,
): ReadonlyMap<number, readonly Happening[]> {
  const found = new Map<number, Happening[]>();
  const folders = new Map<string, string>();
  // A process belongs to the line it was started in, also where it outlives that line.
  const lines = new Map<string, number | null>();
  let shell: string | null = null;
  let line: number | null = null;
  const note = (from: number | null, happening: Happening): void => {
    if (from === null) return;
    const own = found.get(from) ?? [];
    own.push(happening);
    found.set(from, own);
  };
  eachCall(text, (call) => {
    const { pid, name, args, result } = call;
    shell ??= pid;
    if (name === 'end') {
      lines.delete(pid);
      folders.delete(pid);
      return;
    }
    const own = pid === shell ? line : (lines.get(pid) ?? line);
    if (pid !== shell) lines.set(pid, own);
    if (/^(?:clone3?|v?fork)$/.test(name)) {
      if (/^\d+$/.test(result.trim())) lines.set(result.trim(), own);
      return;
    }
    const here = args.map((one) => /^AT_FDCWD<(.*)>$/.exec(one)?.[1]).find((one) => one);
    if (here !== undefined) folders.set(pid, here);
    const folder = folders.get(pid) ?? folders.get(shell) ?? '/';
    const failed = result.startsWith('-1');
    if ((name === 'chdir' || name === 'fchdir') && !failed) {
      const to =
        name === 'chdir' ? absolute(folder, textOf(args[0] ?? '')) : numbered(args[0] ?? '');
      if (to !== null) folders.set(pid, to);
      if (pid === shell && to !== null) line = lineOf(to);
    } else if (pid === shell) return;
    else for (const one of meaning(call, folder)) note(own, one);
  });
  return found;
}

function absolute(folder: string, path: string): string {
  return path.startsWith('/') ? path : `${folder}/${path}`;
}

function meaning({ name, args, result }: Call, folder: string): readonly Happening[] {
  const failed = result.startsWith('-1');
  const counts = !failed || tried.test(result);
  if (name === 'execve' || name === 'execveat') {
    if (failed) return [];
    const [path = '', words = ''] = name === 'execve' ? args : args.slice(1);
    return [
      {
        kind: 'start',
        path: absolute(folder, textOf(path)),
        words: split(words.slice(1, -1)).map(textOf),
      },
    ];
  }
  if (name === 'connect' || name === 'sendto') {
    const address = args.find((one) => /sa_family=AF_INET6?\b/.test(one));
    return address === undefined ? [] : [{ kind: 'reach', address }];
  }
  if (name.startsWith('open')) return opened(name, args, result, folder);
  if (!counts) return [];
  return (shapes[name] ?? []).map(([kind, at, hasFolder]) => {
    const base = hasFolder ? (numbered(args[at] ?? '') ?? folder) : folder;
    const printed = args[hasFolder ? at + 1 : at] ?? '';
    const path = printed.startsWith('"') ? absolute(base, textOf(printed)) : numbered(printed);
    return { kind, path: path ?? base };
  });
}

function opened(
  name: string,
  args: readonly string[],
  result: string,
  folder: string,
): readonly Happening[] {
  const rest = name === 'open' ? args : args.slice(1);
  const base = name === 'open' ? folder : (numbered(args[0] ?? '') ?? folder);
  const flags = rest[1] ?? '';
  const writes = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(flags) && !/O_PATH/.test(flags);
  const failed = result.startsWith('-1');
  if (failed && !(writes && tried.test(result))) return [];
  if (/O_PATH/.test(flags)) return [];
  const path = (failed ? null : numbered(result)) ?? absolute(base, textOf(rest[0] ?? ''));
  const reads = !/O_WRONLY/.test(flags);
  return [
    ...(writes ? [{ kind: 'write', path } as const] : []),
    ...(reads ? [{ kind: 'read', path } as const] : []),
  ];
}
