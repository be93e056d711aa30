import type { GrammarNode } from '../parse/grammar.ts';
import type { PlanContext, Place } from './shell-state.ts';
import type { Argument } from '../programs/types.ts';
import { literal, type RenderedArgument } from './expand.ts';
import { makeStage } from './stage.ts';
import { noVariables } from './shell-state.ts';
import { builtinNames } from './builtins/names.ts';
import { findExecutable } from './executable.ts';
import type { Analysis, Span, Stage } from './types.ts';

/** Commands inside commands are followed this deep. */
const deepestOutline = 6;

/**
 * The commands that can still be seen in a text that is not understood, wherever they stand: inside
 * substitutions, loops, functions. Words are taken apart as far as quotes go. Never enough to allow
 * anything.
 */
export function outlineText(text: string, context: PlanContext): readonly Stage[] {
  const tree = context.parser.parse(text);
  if (tree === null) return [];
  try {
    const commands = tree.rootNode.descendantsOfType([
      'command',
      'declaration_command',
      'test_command',
    ]);
    return commands.slice(0, context.outline.left).flatMap((node) => {
      const words = wordsOf(node, text);
      return words.length === 0
        ? []
        : outlineWords(words.map(literal), context, {
            span: { start: node.startIndex, end: node.endIndex },
            by: 'shell',
          });
    });
  } finally {
    tree.delete();
  }
}

/** The stages of an argument vector, wrappers looked through where that is possible. */
export function outlineArgv(argv: readonly string[], context: PlanContext): readonly Stage[] {
  return outlineArguments(argv.map(literal), context);
}

/** The same for words of which some are still to be expanded by the shell. */
export function outlineArguments(
  words: readonly Argument[],
  context: PlanContext,
): readonly Stage[] {
  const rendered = words.map((word) => ({ ...word, render: word.text }));
  return words.length === 0 ? [] : outlineWords(rendered, context, { span: null, by: 'program' });
}

function wordsOf(node: GrammarNode, text: string): string[] {
  if (node.type === 'test_command') return ['[', text.slice(node.startIndex, node.endIndex)];
  if (node.type === 'declaration_command')
    return text.slice(node.startIndex, node.endIndex).split(/\s+/);
  return node.namedChildren
    .filter((child) => !/^(?:variable_assignment|.*redirect)$/.test(child.type))
    .map((child) => unquote(text.slice(child.startIndex, child.endIndex)));
}

/** Takes quotes off, and leaves expansions as they are written. */
function unquote(word: string): string {
  return word.replace(/\$?'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs, (_, single, double, escaped) =>
    String(
      single ?? (double === undefined ? escaped : String(double).replace(/\\(["\\$`])/g, '$1')),
    ),
  );
}

interface OutlinePlace {
  readonly span: Span | null;
  /** Only a shell has builtins. */
  readonly by: 'shell' | 'program';
}

function outlineWords(
  words: readonly RenderedArgument[],
  context: PlanContext,
  at: OutlinePlace,
): readonly Stage[] {
  const budget = context.outline;
  if (budget.left <= 0 || budget.depth >= deepestOutline) return [];
  budget.left--;
  budget.depth++;
  try {
    return outlineCommand(words, context, at);
  } finally {
    budget.depth--;
  }
}

function outlineCommand(
  words: readonly RenderedArgument[],
  context: PlanContext,
  at: OutlinePlace,
): readonly Stage[] {
  const { span } = at;
  const place: Place = {
    cwd: null,
    variables: noVariables,
    wrappers: [],
    assignments: [],
    writes: [],
    reads: [],
    dialect: 'bash',
    loop: null,
    span,
  };
  const name = words[0]?.text ?? '';
  const builtin = at.by === 'shell' && builtinNames.has(name);
  if (!builtin) {
    const inner: PlanContext = { ...context, stages: [], bodies: [] };
    try {
      inner.planProgram(words, inner, { place, by: 'program' });
      return inner.stages;
    } catch {
      // The plain stage below shows what could not be looked through.
    }
  }
  const { surroundings, request } = context;
  const executable = builtin
    ? ({ kind: 'builtin', name } as const)
    : findExecutable(name, { surroundings, cwd: null, requestCwd: request.cwd });
  const trust = { level: 'never', reason: 'the command around it is not understood' } as const;
  const nothing = { carries: [], script: null, effects: null, guarded: [] };
  return [makeStage(place, { words, executable, trust, ...nothing })];
}

/** Texts whose words depend on the shell that expands them: loops, branches, what a program prints. */
const leftToShell =
  /\$[({]|`|[<>]\(|(?:^|[;&|({\n])\s*(?:!\s*)?(?:for|while|until|case|if|select)\b|(?<![&>|<])&(?![&>])/;

/**
 * What is understood of a text that another program's shell will expand anew, such as zsh, which splits
 * no values. What runs there is the text and not the plan, so a text of which the plan says more than
 * the words do is none.
 */
export function inAnotherShell(analysis: Analysis, text: string): Analysis {
  if (!analysis.ok || !leftToShell.test(text)) return analysis;
  return {
    ok: false,
    reason: 'control-flow',
    detail: "The shell of the agent's host runs this text, and could make other commands of it.",
    span: null,
    stages: analysis.plan.stages,
    guarded: analysis.plan.stages.flatMap(({ guarded }) => guarded),
  };
}
