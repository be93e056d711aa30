import { needsStepUp } from '../../shared/engine/index.ts';
import type { Ask } from '../../shared/engine/index.ts';
import type { QueuedAsk } from './types.ts';

/** Similar asks: one agent, one host and machine, the same programs with the same subcommands. */
export interface AskGroup {
  /** Stable while at least one of its asks waits. */
  readonly key: string;
  readonly agent: string;
  /** What the asks have in common: `git push`, `npm install | tee`. Untrusted text. */
  readonly label: string;
  /** Oldest first, never empty. */
  readonly asks: readonly QueuedAsk[];
  /** Whether the whole group may be allowed at once, after its list has been seen. */
  readonly allowTogether: boolean;
}

/** More similar asks than this are shown as one line with a count. */
export const floodThreshold = 5;

const subcommand = /^[a-z][a-z0-9-]*$/;

function stageLabel(argv: readonly string[]): string {
  const [program = '', first = ''] = argv;
  const name = program.slice(program.lastIndexOf('/') + 1);
  return subcommand.test(first) ? `${name} ${first}` : name;
}

/** The key that similar asks share. An opaque command is similar to no other. */
function likenessOf(ask: Ask): { readonly key: string; readonly label: string } {
  const label =
    ask.opaque !== null || ask.stages.length === 0
      ? ask.command
      : ask.stages.map(({ argv }) => stageLabel(argv)).join(' | ');
  const programs = ask.stages.map(({ resolvedPath }) => resolvedPath);
  return {
    key: JSON.stringify([
      ask.agent,
      ask.kind,
      ask.host,
      ask.node?.id,
      ask.risk.level,
      ask.presence,
      ask.approvers,
      label,
      programs,
    ]),
    label,
  };
}

/** The queue in groups; the group with the oldest ask comes first, each group oldest first. */
export function groupAsks(queue: readonly QueuedAsk[]): readonly AskGroup[] {
  const groups = new Map<string, { label: string; asks: QueuedAsk[] }>();
  for (const queued of queue) {
    const { key, label } = likenessOf(queued.ask);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { label, asks: [queued] });
    else group.asks.push(queued);
  }
  return [...groups].map(([key, { label, asks }]) => ({
    key,
    agent: asks[0]?.ask.agent ?? '',
    label,
    asks,
    allowTogether: asks.length > 1 && asks.every(({ ask }) => !needsStepUp(ask)),
  }));
}
