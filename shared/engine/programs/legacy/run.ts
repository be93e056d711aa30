import { literal } from '../../plan/expand.ts';
import { skipOptions } from '../../plan/wrappers.ts';
import { carriedGuesses, carriedText, carriedWords, type Judge } from './judge.ts';
import type { Runner } from './runners.ts';

/** Judges a program that runs what it is given, and reads as much of that as its grammar tells. */
export function judgeRunner(runner: Runner): Judge {
  return (args) => {
    const trust = { level: runner.level, reason: runner.why };
    if (runner.options === undefined) return { trust, carries: carriedGuesses(args) };
    const found = skipOptions([literal(''), ...args], runner.options);
    if (found === null)
      return {
        trust: { level: 'never', reason: `${runner.why}, with options that are not understood` },
        carries: carriedGuesses(args),
      };
    let at = found - 1 + (runner.operands ?? 0);
    while (/^[A-Za-z_][A-Za-z0-9_]*=/.test(args[at]?.text ?? '')) at++;
    const inner = args.slice(at);
    if (inner.length === 0)
      return { trust: { level: 'never', reason: `${runner.why}, which is not named` } };
    const [first, second] = inner;
    const text =
      runner.text === true
        ? inner.map((arg) => arg.text).join(' ')
        : first?.text === '-c'
          ? second?.text
          : null;
    return { trust, carries: text === null ? carriedWords(inner) : carriedText(text) };
  };
}
