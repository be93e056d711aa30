import { doubt, has, merge, path, risk } from '../../forms.ts';
import type { Operand, Reading, Yield } from '../../types.ts';

const foreign =
  /^(?:https?:|git[+@:]|ssh:|github:|gitlab:|bitbucket:|gist:|file:\/)|\.git(?:#|$)|^[\w-]+\/[\w.-]+(?:#|$)/;

/** A package of the registry by its name, with a version, a range or a tag. */
const byName =
  /^(?:@[\w~-][\w.~-]*\/)?[\w-][\w.-]*(?:@(?![.~]$|\.\.)[\w^~<>=*|+ -][\w.^~<>=*|+ -]*)?$/;
const archive = /\.(?:tgz|tar\.gz|tar)$/;
const isFile = (text: string): boolean =>
  /^(?:[/~.]|file:|link:)/.test(text) || (archive.test(text) && !/@|:\/\//.test(text));

/**
 * What does not come from the registry by its name: an address, a repository, a shorthand for one.
 * Its code and scripts were checked by nobody, and `name@address` hides where they come from.
 */
export function fromElsewhere(packages: readonly Operand[], program: string): Yield {
  const doubts = packages
    .filter(({ text }) => !isFile(text) && (!byName.test(text) || archive.test(text)))
    .map(({ text, word }) =>
      doubt(`${program} takes ${text} from elsewhere than its registry`, word),
    );
  return { doubts };
}

/** Packages by name, file or address, whose scripts run here. */
export function installed(reading: Reading, safe: boolean): Yield {
  const { program, operands: packages } = reading;
  const { doubts } = merge([
    fromElsewhere(packages, program),
    has(reading, '-g', '--global')
      ? { doubts: [doubt(`${program} installs programs for all projects`)] }
      : {},
  ]);
  const effects = packages
    .filter(({ text }) => isFile(text))
    .map(({ text, word }) =>
      path('reads', text.replace(/^(?:file|link):(?:\/\/)?/, ''), word, { tree: true, runs: true }),
    );
  if (safe) return { effects, doubts };
  const from = packages.find(({ text }) => foreign.test(text));
  return {
    effects: [...effects, { kind: 'reaches', address: '', direction: 'fetches', word: -1 }],
    doubts,
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
