/** Other names under which the same program goes. */
const aliases: Readonly<Record<string, string>> = {
  nodejs: 'node',
  pypy3: 'pypy',
  'vim.basic': 'vim',
  'vim.tiny': 'vim',
  'vim.nox': 'vim',
  'vim.gtk3': 'vim',
  'nc.openbsd': 'nc',
  'nc.traditional': 'nc',
  'npm-cli.js': 'npm',
  'npx-cli.js': 'npx',
  'yarn.js': 'yarn',
  yarnpkg: 'yarn',
  'pnpm.cjs': 'pnpm',
  'c++': 'g++',
  c99: 'gcc',
  c89: 'gcc',
  gfortran: 'gcc',
  'ld.gold': 'ld',
  'ld.bfd': 'ld',
  'ld.lld': 'ld',
  gold: 'ld',
  gpg2: 'gpg',
  gpgsm: 'gpg',
  wget2: 'wget',
  tofu: 'terraform',
  glab: 'gh',
  'py.test': 'pytest',
  'clang++': 'clang',
};

/** The name of the family that a program belongs to: versions and builds taken off. */
export function familyOf(name: string): string {
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (alias !== undefined) return alias;
  // Compilers for other machines: `x86_64-linux-gnu-gcc-13`.
  const own = name.replace(
    /^[a-z0-9_]+(?:-[a-z0-9_]+){1,3}-(?=(?:gcc|g\+\+|ld|ar|nm|strip)(?:-|$))/,
    '',
  );
  const plain = own.replace(
    /^(python|pypy|ruby|perl|php|lua|node|tclsh|pip|gcc|g\+\+|clang|busybox|java|vim|nvim|emacs|dash|bash|zsh|ksh|awk)-?[0-9][0-9.]*m?$/,
    '$1',
  );
  return plain;
}
