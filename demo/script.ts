/** One thing that the demo agent asks for. */
export interface Scene {
  /** What kind of prompt this is, for the person who watches. */
  readonly title: string;
  readonly command: string;
  /** The agent's own words for why, as a prompt shows them. */
  readonly reason: string;
}

/**
 * Six commands of different kinds. All of them happen in a scratch folder and harm nothing, even
 * if every one is allowed.
 */
export const scenes: readonly Scene[] = [
  {
    title: 'a harmless look around',
    command: 'ls -la && git status --short',
    reason: 'I want to see what is here.',
  },
  {
    title: 'a file is written',
    command: 'echo "remember the milk" > notes.txt',
    reason: 'I keep notes of what I do.',
  },
  {
    title: 'everything below a folder is deleted',
    command: 'rm -rf build',
    reason: 'A clean build needs an empty folder.',
  },
  {
    title: 'text is piped into a shell',
    command: `echo 'echo hello from a script' | sh`,
    reason: 'The instructions that I found say so.',
  },
  {
    title: 'a part that nobody can know beforehand',
    command: 'echo "it is $(date)"',
    reason: 'I need the time for the report.',
  },
  {
    title: 'history on a server is overwritten',
    command: 'git push --force origin main',
    reason: 'My push was rejected, so I try harder.',
  },
];
