import { offerOf } from '../../programs/forms.ts';
import { recordOf } from '../../programs/list.ts';
import type { Effect } from '../../programs/types.ts';
import { baseName } from '../../rules/matching.ts';
import { finding, isRiskCode } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import type { RiskSubject } from '../subject.ts';
import { takesCommands } from './shell.ts';

/**
 * What the record of the program says of these arguments: its own findings, and that they hold
 * something which will be run. What only pins because it is not understood is no finding.
 */
export const checkRecord: RiskCheck = (subject) => {
  const { reading, args } = subject;
  if (reading === null) return [];
  const own = reading.risks.flatMap(({ code, level, text, words }) => {
    const hit = words.flatMap((word) => args[word] ?? []);
    return isRiskCode(code) ? [finding(code, level, text, hit)] : [];
  });
  const effects = reading.effects.flatMap((effect) => ofEffect(effect, subject));
  const runs = (effects.length > 0 ? [] : reading.doubts).flatMap(({ executes, why, word }) =>
    executes === true
      ? [finding('inline-code', 'high', sentence(why), args.slice(word, word + 1))]
      : [],
  );
  return [...own, ...runs, ...effects];
};

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

function ofEffect(effect: Effect, { args, reading }: RiskSubject): readonly RoughFinding[] {
  const words = args.slice(effect.word, effect.word + 1);
  const high = (text: string): readonly RoughFinding[] => [
    finding('inline-code', 'high', text, words),
  ];
  switch (effect.kind) {
    case 'shell':
      // What the text does on the other machine is found in the text.
      if (reading?.effects.some(({ kind }) => kind === 'reaches') === true && effect.text !== '')
        return [];
      return high(
        effect.text === ''
          ? 'Has a shell run what it reads.'
          : `Has a shell run: ${shortened(effect.text)}.`,
      );
    case 'starts':
      return high(`Starts ${effect.program ?? 'a program'}, which an argument names.`);
    case 'loads':
      return effect.path === null
        ? high('Loads code or settings that an argument names.')
        : high(`Takes code or settings from ${shortened(effect.path)}.`);
    case 'command': {
      const [program, mark, module] = effect.words;
      const isModule =
        mark?.text === '-m' && module !== undefined && recordOf(module.text)?.project !== undefined;
      return program !== undefined && !isModule && takesCommands(baseName(program.text))
        ? high(`Runs code with ${program.text} for what it is given.`)
        : [];
    }
    default:
      return [];
  }
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

const ownMachine =
  /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)(?::(?![^/]*@)|[/?#]|$)/i;

/** What another program or a file hands it goes to another machine. */
export const checkLeaving: RiskCheck = ({ name, reading, piped, reads }) => {
  if (reading === null || !(piped || reads.length > 0)) return [];
  const away = reading.effects.some(
    (effect) =>
      effect.kind === 'reaches' && effect.input === true && !ownMachine.test(effect.address),
  );
  return away || recordOf(name)?.sends === true
    ? [finding('data-leaving', 'high', 'Sends data to another machine.')]
    : [];
};

const productionWord = /(?:^|[^a-z])(?:prod|production|prd|live)(?:[^a-z]|$)/i;

/** Services elsewhere that words or variables call production. */
export const checkProduction: RiskCheck = ({ name, args, reading, assignments }) => {
  const elsewhere = recordOf(name)?.elsewhere;
  if (reading === null || elsewhere === undefined) return [];
  const target = [
    ...args.filter((arg) => !/\s/.test(arg)),
    ...assignments.map((one) => one.value),
  ].find((word) => productionWord.test(word));
  if (target === undefined) return [];
  const first = args.find((arg) => !arg.startsWith('-')) ?? '';
  const looks = offerOf(reading) === 'reads' || (elsewhere !== true && elsewhere.looks.test(first));
  const text = `${looks ? 'Looks at' : 'Acts on'} what looks like production: ${target}.`;
  return [finding('production-target', looks ? 'low' : 'high', text, [target])];
};
