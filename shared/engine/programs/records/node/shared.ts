import { doubt, path, risk } from '../../forms.ts';
import type { Operand, Reading, Yield } from '../../types.ts';

const foreign =
  /^(?:https?:|git[+@:]|ssh:|github:|gitlab:|bitbucket:|gist:|file:\/)|\.git(?:#|$)|^[\w-]+\/[\w.-]+(?:#|$)/;

/** Packages by name, file or address, whose scripts run here. */
export function installed(packages: readonly Operand[], safe: boolean): Yield {
  const effects = packages
    .filter(({ text }) => /^(?:[/~.]|file:|link:)|\.(?:tgz|tar\.gz)$/.test(text))
    .map(({ text, word }) =>
      path('reads', text.replace(/^(?:file|link):(?:\/\/)?/, ''), word, { tree: true, runs: true }),
    );
  if (safe) return { effects };
  const from = packages.find(({ text }) => foreign.test(text));
  return {
    effects: [...effects, { kind: 'reaches', address: '', direction: 'fetches', word: -1 }],
    risks: [
      from === undefined
        ? risk('package-install', 'low', 'Installs packages, whose scripts run on this machine.')
        : risk('package-install', 'high', `Installs code straight from ${from.text}.`, [from.word]),
    ],
  };
}

/** `npm exec vitest run`: the words from the package on are a command. */
export function executed(reading: Reading, why: string, from = 0, leads = true): Yield {
  const inner = reading.operands.slice(from);
  const [first] = inner;
  if (first === undefined) return { doubts: [doubt(why)] };
  const plain = first.live === null && /^[A-Za-z][\w-]*$/.test(first.text);
  const before = reading.options.every(({ name }) => /^(?:-y|--yes)$/.test(name));
  const leading = leads && plain && before ? { leading: first.word + 1 } : {};
  const words = inner.map(({ text, live }) => ({ text, live }));
  return {
    effects: [{ kind: 'command', words, why, word: first.word, ...leading }],
    risks: [
      risk(
        'package-install',
        'low',
        `Runs the package ${first.text}, whose scripts run on this machine.`,
        [first.word],
      ),
    ],
  };
}
