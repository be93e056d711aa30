import type { Ask, AskStage, Proposal } from '../../../shared/ask/types.ts';
import type { QueuedAsk } from '../../bridge/types.ts';

export const start = Date.UTC(2026, 9, 14, 9, 30);

/** The range of a text in a command, for spans. */
export function spanOf(command: string, text: string): { start: number; end: number } {
  const at = command.indexOf(text);
  return { start: at, end: at + text.length };
}

export function stageOf(command: string, text: string, part: Partial<AskStage> = {}): AskStage {
  const argv = text.split(' ');
  return {
    argv,
    resolvedPath: `/usr/bin/${argv[0] ?? ''}`,
    via: [],
    cwd: '/home/ana/src/app',
    writes: [],
    why: `No rule of claude names ${argv[0] ?? ''} with these arguments.`,
    span: spanOf(command, text),
    ...part,
  };
}

export function proposalsFor(words: readonly string[]): readonly Proposal[] {
  const [program = '', first = ''] = words;
  const pattern = `/usr/bin/${program}`;
  return [
    {
      id: 'exact',
      scope: 'exact',
      sentence: `Allows exactly "${words.join(' ')}" in any directory.`,
      rules: [{ pattern, args: words.slice(1) }],
      pastCommands: [],
    },
    {
      id: 'subcommand',
      scope: 'subcommand',
      sentence: `Allows ${program} ${first} with any arguments after it.`,
      rules: [{ pattern, args: [first, '...'] }],
      pastCommands: [`${program} ${first} --watch`, `${program} ${first} src/gate`],
    },
    {
      id: 'program',
      scope: 'program',
      sentence: `Allows ${program} with any arguments.`,
      rules: [{ pattern }],
      pastCommands: [`${program} ${first} --watch`, `${program} ci`, `${program} run build`],
    },
  ];
}

const ancestry = [
  { pid: 48213, name: 'claude', command: 'claude --resume' },
  { pid: 48001, name: 'zsh', command: '-zsh' },
  { pid: 611, name: 'Terminal', command: '/usr/bin/gnome-terminal-server' },
];

/** An ask with everything ordinary, and what the caller wants different. */
export function askOf(part: Partial<Ask> & Pick<Ask, 'id' | 'command'>): Ask {
  return {
    kind: 'exec',
    agent: 'claude',
    session: '7f3a91c2',
    toolUseId: null,
    statedReason: null,
    host: 'gateway',
    cwd: '/home/ana/src/app',
    isShellText: true,
    stages: [stageOf(part.command, part.command)],
    opaque: null,
    why: 'No rule of claude covers this command.',
    risk: { level: 'none', findings: [] },
    env: [],
    ancestry,
    proposals: proposalsFor(part.command.split(' ')),
    durations: ['once', '15-minutes', 'session', 'until-restart', 'always'],
    createdAt: start - 14_000,
    expiresAt: start + 106_000,
    ...part,
  };
}

export function queuedOf(ask: Ask): QueuedAsk {
  return { ask, askDigest: ask.id.padEnd(64, '0') };
}
