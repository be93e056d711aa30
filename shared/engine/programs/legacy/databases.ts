import type { Argument } from '../types.ts';
import { never, strictest, type Finding, type Judge } from './judge.ts';
import { judgeOptions } from './option-risks.ts';
import { optionRisks } from './option-table.ts';

/** Where a client finds its statements among its arguments; without any it reads its input. */
const given: Readonly<Record<string, RegExp>> = {
  psql: /^(?:-[A-Za-z]*c|--command|-l$|--list$|--version$|-V$)/,
  mysql: /^(?:-[A-Za-z]*e|--execute|--version$|-V$)/,
  mariadb: /^(?:-[A-Za-z]*e|--execute|--version$|-V$)/,
};

/** Clients of databases, whose own commands start programs. Those from their input are not seen. */
export function judgeDatabase(program: string): Judge {
  return (args): Finding => {
    const risk = optionRisks[program === 'mariadb' ? 'mysql' : program];
    const finding = judgeOptions(args, risk ?? { why: '' });
    return hasStatement(program, args)
      ? finding
      : strictest(finding, never(`${program} runs whatever it is given as input`));
  };
}

function hasStatement(program: string, args: readonly Argument[]): boolean {
  const option = given[program];
  if (option !== undefined) return args.some(({ text }) => option.test(text));
  // sqlite3 [options] FILE STATEMENT
  if (args.length === 1) return /^--?(?:version|help)$/.test(args[0]?.text ?? '');
  return args.filter(({ text }) => !text.startsWith('-')).length >= 2;
}
