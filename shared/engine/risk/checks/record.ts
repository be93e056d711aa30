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
  return [...own, ...reading.effects.flatMap((effect) => ofEffect(effect, subject))];
};

function ofEffect(effect: Effect, { args }: RiskSubject): readonly RoughFinding[] {
  const words =
    'word' in effect && args[effect.word] !== undefined ? [args[effect.word] ?? ''] : [];
  const high = (text: string): readonly RoughFinding[] => [
    finding('inline-code', 'high', text, words),
  ];
  switch (effect.kind) {
    case 'shell':
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
      const [program] = effect.words;
      return program !== undefined && takesCommands(baseName(program.text))
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
