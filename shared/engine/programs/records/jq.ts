import {
  doubt,
  flag,
  has,
  inert,
  merge,
  path,
  pinned,
  plainOptions,
  reads,
  executes,
} from '../forms.ts';
import { readFilter } from '../languages/jq.ts';
import { argparse, byHand } from '../syntax.ts';
import type {
  Argument,
  CustomReading,
  Doubt,
  Effect,
  Operand,
  ProgramRecord,
  Reading,
  Taken,
  Use,
  Yield,
} from '../types.ts';

/** How many words each long option of jq takes. It has no abbreviations and no `=`. */
const long: Readonly<Record<string, number>> = {
  '--slurp': 0,
  '--raw-input': 0,
  '--null-input': 0,
  '--compact-output': 0,
  '--raw-output': 0,
  '--raw-output0': 0,
  '--join-output': 0,
  '--ascii-output': 0,
  '--ascii': 0,
  '--color-output': 0,
  '--monochrome-output': 0,
  '--sort-keys': 0,
  '--tab': 0,
  '--unbuffered': 0,
  '--stream': 0,
  '--stream-errors': 0,
  '--seq': 0,
  '--exit-status': 0,
  '--binary': 0,
  '--help': 0,
  '--version': 0,
  '--build-configuration': 0,
  '--indent': 1,
  '--arg': 2,
  '--argjson': 2,
  '--slurpfile': 2,
  '--rawfile': 2,
  '--argfile': 2,
};
const files: ReadonlySet<string> = new Set(['--slurpfile', '--rawfile', '--argfile']);

/** jq takes one word after the other: options anywhere, the filter, then files or arguments. */
function readJq(args: readonly Argument[]): CustomReading {
  const options: Taken[] = [];
  const operands: Operand[] = [];
  const effects: Effect[] = [];
  const doubts: Doubt[] = [];
  const parts: Yield[] = [];
  const take = (name: string, word: number, value: string | null = null, use: Use = flag): void => {
    options.push({ name, value, live: false, negated: false, use, word, valueWord: word });
  };
  let onlyOperands = false;
  let inputs: 'files' | 'values' = 'files';
  for (let at = 0; at < args.length; at++) {
    const { text, live } = args[at] ?? { text: '', live: null };
    const isOption = !onlyOperands && text.startsWith('-') && text !== '-';
    if (live === 'pattern' && !onlyOperands && /^[-*?[\\!+@(]/.test(text))
      doubts.push(doubt('the name of a file could be taken for an option', at));
    if (!isOption) {
      operands.push({ text, live, word: at });
      if (operands.length === 1)
        parts.push(
          live === null
            ? readFilter(text, at)
            : { doubts: [doubt('a pattern stands for the filter of jq', at)] },
        );
      else if (inputs === 'files' && text !== '-')
        effects.push(path('reads', text, at, { live: live !== null }));
    } else if (text === '--') onlyOperands = true;
    else if (text === '--args' || text === '--jsonargs') {
      inputs = 'values';
      take(text, at);
    } else if (Object.hasOwn(long, text)) {
      const count = long[text] ?? 0;
      const values = args.slice(at + 1, at + 1 + count);
      if (values.length < count) doubts.push(doubt(`jq needs values after ${text}`, at));
      if (values.some((one) => one.live === 'pattern'))
        doubts.push(doubt(`a value of ${text} is a pattern that may become several words`, at));
      const value = values[1];
      take(text, at, value?.text ?? null);
      if (files.has(text) && value !== undefined)
        effects.push(path('reads', value.text, at + 2, { live: value.live !== null }));
      at += count;
    } else if (text.startsWith('--') || !/^-[srRncCMaSjehVb]+$/.test(text))
      doubts.push(
        doubt(
          /^-[a-zA-Z]*[fL]|^--(?:from-file|library-path)/.test(text)
            ? 'jq takes its filter or modules from files'
            : `jq has no option ${text}`,
          at,
        ),
      );
    else for (const letter of text.slice(1)) take(`-${letter}`, at);
  }
  return { options, operands, ...merge([...parts, { effects, doubts }]) };
}

const jq: ProgramRecord = {
  names: ['jq', 'gojq', 'jaq'],
  does: 'Prints parts of JSON by a filter.',
  held: {},
  environment: { JQ_LIBRARY_PATH: 'decides from where jq takes modules' },
  grammar: { syntax: byHand, read: readJq, offers: 'reads' },
};

/** Commands of the one yq may stand before the filter; the other has none. */
const yqCommands: ReadonlySet<string> = new Set(['eval', 'e', 'eval-all', 'ea']);

function filtered(reading: Reading): Yield {
  const { operands } = reading;
  const skip = yqCommands.has(operands[0]?.text ?? '') ? 1 : 0;
  const [filter, ...inputs] = operands.slice(skip);
  const use = has(reading, '-i', '--inplace', '--in-place') ? 'edits' : 'reads';
  const parts: Yield[] = inputs
    .filter(({ text }) => text !== '-')
    .map(({ text, word, live }) => ({ effects: [named(use, text, word, live !== null)] }));
  if (filter === undefined) return merge(parts);
  // Without a filter the first word is a file, and with one it names no file.
  parts.push(
    filter.live === null
      ? readFilter(filter.text, filter.word, 'yq')
      : { doubts: [doubt('a pattern stands for the filter of yq', filter.word)] },
    { effects: [named(use, filter.text, filter.word)] },
  );
  return merge(parts);
}

/** Without the option that edits, and those that pin, none of the words is more than read. */
function named(use: 'edits' | 'reads', text: string, word: number, live = false): Effect {
  const effect = path(use, text, word, { live });
  return effect.kind === 'path' && use === 'reads' ? { ...effect, only: true } : effect;
}

const yq: ProgramRecord = {
  names: ['yq', 'xq', 'tomlq'],
  does: 'Prints or changes parts of YAML by a filter.',
  grammar: {
    syntax: { ...argparse, name: 'yq', abbreviates: false, flagEquals: true },
    options: {
      // Only what both programs of this name understand alike, and what one of them refuses.
      ...plainOptions(`-r|--unwrapScalar|--raw-output -n|--null-input -C|--colors|--color-output
        -M|--no-colors|--monochrome-output -P|--prettyPrint -e|--exit-status -N|--no-doc -y|--yaml-output
        -Y|--yaml-roundtrip -c|--compact-output -S|--sort-keys -a|--ascii-output -j|--tojson|--join-output
        -I|--indent= -o|--output-format= -w|--width= -0|--nul-output -V|--version -h|--help -v|--verbose
        --header-preprocess --csv-auto-parse --csv-separator= --tsv-auto-parse --lua-globals
        --lua-prefix= --lua-suffix= --lua-unquoted --properties-separator= --properties-array-brackets
        --string-interpolation --xml-attribute-prefix= --xml-content-name= --xml-directive-name=
        --xml-keep-namespace --xml-proc-inst-prefix= --xml-raw-token --xml-skip-directives
        --xml-skip-proc-inst --xml-strict-mode --input-format=`),
      '-i --inplace --in-place': flag,
      '-p': inert,
      '-f --from-file --front-matter': pinned(inert, 'yq takes its filter from a file'),
      '--expression-file': pinned(reads, 'yq takes its filter from a file'),
      '-s --slurp --split-exp': pinned(flag, 'yq may write other files'),
      '--split-exp-file': pinned(reads, 'yq writes other files'),
      '--security-enable-system-operator': executes('yq runs programs', flag),
      '--security-disable-env-ops --security-disable-file-ops': flag,
    },
    operands: { rest: inert },
    finish: filtered,
    offers: (reading) => (has(reading, '-i', '--inplace', '--in-place') ? 'exact' : 'files'),
  },
};

export const jqPrograms: readonly ProgramRecord[] = [jq, yq];
