import { doubt, has, merge, path, risk, valuesOf } from '../../forms.ts';
import type { Operand, Reading, RiskOf, Yield, ProgramRecord } from '../../types.ts';
import { packages } from '../findings.ts';

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
export function fromElsewhere(given: readonly Operand[], program: string): Yield {
  const doubts = given
    .filter(({ text }) => !isFile(text) && (!byName.test(text) || archive.test(text)))
    .map(({ text, word }) =>
      doubt(`${program} takes ${text} from elsewhere than its registry`, word),
    );
  return { doubts };
}

/** Packages by name, file or address, whose scripts run here. */
export function installed(reading: Reading, safe: boolean): Yield {
  const { program, operands } = reading;
  const { doubts } = merge([
    fromElsewhere(operands, program),
    has(reading, '-g', '--global')
      ? { doubts: [doubt(`${program} installs programs for all projects`)] }
      : {},
  ]);
  const effects = operands
    .filter(({ text }) => isFile(text))
    .map(({ text, word }) =>
      path('reads', text.replace(/^(?:file|link):(?:\/\/)?/, ''), word, { tree: true, runs: true }),
    );
  if (safe) return { effects, doubts };
  return {
    effects: [...effects, { kind: 'reaches', address: '', direction: 'fetches', word: -1 }],
    doubts,
    risks: packages(operands.map(({ text }) => text)),
  };
}

/** `npm exec vitest run`: the words from the package on are a command. */
export function executed(reading: Reading, why: string, from = 0, leads = true): Yield {
  const inner = reading.operands.slice(from);
  const [first] = inner;
  if (first === undefined) return { doubts: [doubt(why)], risks: packages([]) };
  const plain = first.live === null && /^(?:@[a-z][\w-]*\/)?[A-Za-z][\w-]*$/.test(first.text);
  const before = reading.options.every(({ name }) => /^(?:-y|--yes|--no-install)$/.test(name));
  const leading = leads && plain && before ? { leading: first.word + 1 } : {};
  const words = inner.map(({ text, live }) => ({ text, live }));
  return {
    effects: [{ kind: 'command', words, why, word: first.word, ...leading }],
    risks: packages(
      [first.text, ...valuesOf(reading, '-p', '--package', '--from', '--with')],
      `Runs the package ${first.text}`,
    ),
  };
}

/** Settings of a package manager that name what it starts or takes at the next script. */
const starting =
  /^(?:script-shell|shell|node-options|node-gyp|python|git|editor|viewer|browser|init-module|prefix|ignore-scripts|(?:@[^:]+:)?registry|yarn-?path|plugins)(?:=|$)/i;
const secretKey = /auth|token|password/i;

/** `npm config set script-shell …`, and what prints a login. */
export function configured({ command, operands: given }: Reading): readonly RiskOf[] {
  const words = command[0] === 'config' ? given : [...command.slice(0, 1), ...given].map(asWord);
  const [action] = words;
  const key = words.find(({ text }) => starting.test(text));
  if (/^(?:get|list|ls)$/.test(action?.text ?? ''))
    return words.some(({ text }) => secretKey.test(text))
      ? [risk('credential-path', 'high', 'Prints npm tokens.')]
      : [];
  return key === undefined
    ? []
    : [
        risk('persistence', 'high', `Sets ${key.text}, which decides what later commands run.`, [
          key.word,
        ]),
      ];
}

function asWord(one: Operand | string): Operand {
  return typeof one === 'string' ? { text: one, live: null, word: -1 } : one;
}

/** What shows the login of a registry. */
export const discloses: NonNullable<ProgramRecord['discloses']> = [
  [/(?:^| )(?:token|profile)(?: |$)|_auth|_password/i, 'a token'],
  // Where the project has no script of this name.
  [/(?:^| )(?:run|run-script|rum|urn)(?: -\S+)* env(?: |$)/, 'all variables'],
];
