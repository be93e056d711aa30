import type { ToolPolicy } from '../brokered/policy.ts';

interface BrokeredProgram {
  /** What is its own in a home, where its policy says nothing of that: its settings and caches alone. */
  readonly files: NonNullable<ToolPolicy['files']>;
  /**
   * First words of what only reads, and needs no credential and nothing of the host: that runs where
   * it is called. It is no judgement of safety. The sandbox runs its own programs anyway, and this
   * saves a way through the folder; what is not here goes to the host, which decides.
   */
  readonly here?: readonly string[];
}

/** The programs whose policies come with Interlock (`assets/tools`). */
const programs: Readonly<Record<string, BrokeredProgram>> = {
  aws: { files: { reads: ['~/.aws'], writes: ['~/.aws/cli'] } },
  docker: {
    files: {
      reads: ['~/.docker'],
      writes: ['~/.docker/buildx'],
      starts: ['~/.docker/cli-plugins'],
    },
    here: ['version'],
  },
  gh: {
    files: {
      reads: ['~/.config/gh', '~/.gitconfig', '~/.config/git'],
      writes: ['~/.cache/gh', '~/.local/state/gh', '~/.local/share/gh'],
    },
  },
  git: {
    files: { reads: ['~/.gitconfig', '~/.config/git'] },
    here: 'blame cat-file describe diff for-each-ref grep log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-ref status var whatchanged'.split(
      ' ',
    ),
  },
  kubectl: { files: { reads: ['~/.kube'], writes: ['~/.kube/cache'] }, here: ['version'] },
  npm: { files: { reads: ['~/.npmrc'], writes: ['~/.npm'] } },
};

const about: ReadonlySet<string> = new Set(['--version', '--help', '-h', 'help', 'version']);

function known(tool: string): BrokeredProgram | undefined {
  return Object.hasOwn(programs, tool) ? programs[tool] : undefined;
}

/** Whether a call of a brokered tool stays in the sandbox that it is made in. */
export function staysInSandbox(tool: string, args: readonly string[]): boolean {
  const [first = ''] = args;
  if (about.has(first) && (first.startsWith('-') || args.length === 1)) return true;
  return known(tool)?.here?.includes(first) === true;
}

/** What is a brokered tool's own in a home (`~`), as far as that is known. */
export function filesOfTool(tool: string): NonNullable<ToolPolicy['files']> {
  return known(tool)?.files ?? {};
}
