import { isHelp, offerOf } from './forms.ts';
import { recordOf } from './list.ts';
import type { Reading, RiskOf } from './types.ts';

/** A rule must write these arguments out, and why: a clause. Null where there is none to name. */
interface Demand {
  readonly reason: string;
  readonly words: readonly number[] | null;
}

/** Also small, these cannot be brought back, or are out of the hands of whoever asked. */
const lasting: Readonly<Record<string, string>> = {
  'data-loss': 'deletes what cannot be brought back',
  'force-push': 'replaces what others have',
  'history-rewrite': 'throws away work or changes history',
  'data-leaving': 'sends data to another machine',
  'weakened-check': 'turns off or weakens a check',
  'login-change': 'changes who you are logged in as',
};
/** A rule for one of these is a rule for sending. */
export const copiers: ReadonlySet<string> = new Set(['scp', 'rsync']);

/**
 * What a rule has to say for itself before "any further arguments" may cover the rest: the
 * subcommand where it changes something beyond the project, and the words that a finding rests on.
 * Null where nothing is asked of the rule.
 */
export function demandOf(reading: Reading): Demand | null {
  if (isHelp(reading)) return null;
  const found = [
    ...reading.risks.map((risk) => ofRisk(reading, risk)),
    beyond(reading),
    sendsByName(reading),
  ];
  const demands = found.filter((one) => one !== null);
  const [first] = demands;
  if (first === undefined) return null;
  const words = demands.flatMap((one) => one.words ?? []);
  const whole = demands.some((one) => one.words === null);
  return { ...first, words: whole ? null : [...new Set(words)] };
}

function ofRisk(reading: Reading, { code, level, words, kept }: RiskOf): Demand | null {
  if (level === 'low' && (kept === true || !(code in lasting))) return null;
  if (code === 'data-leaving' && copiers.has(reading.program)) return null;
  const own = words.filter((word) => word >= 0);
  const options = reading.options.slice(reading.ownOptions).map(({ word }) => word);
  const named = own.length === 0 && level === 'high' ? options : own;
  const all = [...reading.commandWords, ...named];
  // The name of a program that does nothing else says it.
  if (all.length === 0 && level === 'low') return null;
  const reason = `${reading.program} ${lasting[code] ?? 'does what a person should see'}`;
  return { reason, words: all.length === 0 ? null : all };
}

const runners =
  /^(?:npm|pnpm|yarn|bun|deno|composer|make|gmake|just|task|go-task|rake|rails|mage|invoke|inv|poe|doit|ant|lerna|nx|turbo|moon|wireit|gulp|grunt|mix|lein|hatch|pdm|poetry|uv|rye|gradlew?|ninja|ninja-build|samu|sbt|mill)$/;
const sends = /(?:^|[:._-])(?:(?:deploy|publish|upload)[a-z]*|push|release)(?:[:._-]|$)/i;
/** To build for a release is not yet to release. */
const forRelease = /^(?:build|test|check|lint|compile|assemble|package|dist)[:._-]release$/i;

/** Scripts and recipes of a project by whose names its work goes elsewhere. */
function sendsByName(reading: Reading): Demand | null {
  const { program, command, commandWords, operands, options } = reading;
  if (options.some(({ name }) => onlySays.test(name))) return null;
  if (!runners.test(program) || (command.length > 0 && !isScriptCall.test(command[0] ?? '')))
    return null;
  const named = [
    ...command.map((text, at) => ({ text, word: commandWords[at] ?? at })),
    // Behind the name of one script stand words for it; recipes stand beside each other.
    ...(ofPackages.test(program)
      ? operands.slice(0, command[0]?.startsWith('workspace') === true ? 2 : 1)
      : operands),
  ].find(({ text }) => !text.includes('/') && sends.test(text) && !forRelease.test(text));
  if (named === undefined) return null;
  const reason = `${program} runs ${named.text}, which by its name sends the project elsewhere`;
  return { reason, words: [named.word] };
}
const ofPackages = /^(?:npm|pnpm|yarn|bun|deno|composer)$/;
const onlySays = /^(?:-n|--(?:dry-run|just-print|recon|question))$/;
const isScriptCall = /^(?:run|run-script|rum|urn|exec|task|workspace|workspaces|foreach)$|[:._-]/;

/** It changes services, containers or this machine. */
function beyond(reading: Reading): Demand | null {
  const record = recordOf(reading.program);
  const { command, commandWords, operands } = reading;
  const words = command.length > 0 ? command : operands.map(({ text }) => text);
  const acts = record?.beyond ?? record?.elsewhere;
  if (record === null || acts === undefined || offerOf(reading) === 'reads') return null;
  if (typeof acts === 'function' && !acts(reading)) return null;
  const line = words.join(' ');
  const looks =
    acts instanceof RegExp
      ? !acts.test(line)
      : typeof acts === 'object' && acts.looks.test(words[0] ?? '');
  if (looks) return null;
  const said = operands.filter(
    ({ text }, at) => at === 0 || (acts instanceof RegExp && acts.test(text)),
  );
  const own = commandWords.length > 0 ? commandWords : said.map(({ word }) => word);
  return {
    reason: `${[reading.program, ...words.slice(0, Math.max(1, command.length))].join(' ')} changes what lies beyond the project`,
    words: own.length === 0 ? null : own,
  };
}
