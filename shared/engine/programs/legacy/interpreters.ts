import type { Argument } from '../types.ts';
import {
  carriedText,
  carriedWords,
  never,
  open,
  pinned,
  type Finding,
  type Judge,
} from './judge.ts';

interface Interpreter {
  /** Short options that take code. */
  readonly code: string;
  /** Long or many-lettered options that take code. */
  readonly codeLong?: RegExp;
  /** Short options that take another kind of argument. */
  readonly valued?: string;
  /** Options that name a module, which takes the rest of the words. */
  readonly module?: string;
  /** First operands that are commands of their own and run no named file. */
  readonly harmless?: RegExp;
}

const shell: Interpreter = { code: 'c', valued: 'oO' };

/** Programs that run code: from an option, from a file, or from their input. */
export const interpreters: Readonly<Record<string, Interpreter>> = {
  sh: shell,
  bash: shell,
  dash: shell,
  rbash: shell,
  zsh: shell,
  ash: shell,
  ksh: shell,
  mksh: shell,
  yash: shell,
  posh: shell,
  lksh: shell,
  loksh: shell,
  sash: shell,
  osh: shell,
  ysh: shell,
  oil: shell,
  rc: shell,
  es: shell,
  ion: shell,
  murex: shell,
  nash: shell,
  scsh: shell,
  fish: { code: 'cC' },
  csh: shell,
  tcsh: shell,
  nu: { code: 'c' },
  xonsh: { code: 'c' },
  elvish: { code: 'c' },
  pwsh: { code: 'c', codeLong: /^-(?:command|encodedcommand|ec|file)/i },
  python: { code: 'c', valued: 'WXQ', module: 'm' },
  pypy: { code: 'c', valued: 'WX', module: 'm' },
  ipython: { code: 'c', module: 'm' },
  node: {
    code: 'ep',
    codeLong:
      /^--(?:eval|print|require|import|loader|experimental-loader|env-file|run|test-reporter|watch|inspect|build-sea|experimental-config-file|openssl-config|icu-data-dir)/,
    valued: 'rC',
  },
  tsx: { code: 'ep', codeLong: /^--(?:eval|print|require|import|loader|tsconfig)/, valued: 'r' },
  'ts-node': { code: 'ep', codeLong: /^--(?:eval|print|require|import|loader)/, valued: 'rPO' },
  deno: { code: '', harmless: /^(?:fmt|lint|check|info|types|--version|help)$/ },
  bun: {
    code: 'ep',
    codeLong: /^--(?:eval|print|preload|require|import|config|cwd)/,
    harmless: /^(?:install|i|test|add|remove|outdated|update)$/,
  },
  ruby: { code: 'e', valued: 'ICEFKrSTWx' },
  jruby: { code: 'e', valued: 'IrS' },
  irb: { code: '', valued: 'rI' },
  raku: { code: 'e', valued: 'IM' },
  rakudo: { code: 'e', valued: 'IM' },
  perl6: { code: 'e', valued: 'IM' },
  clj: { code: 'e', valued: 'iXM' },
  cling: { code: '' },
  picoc: { code: '' },
  gforth: { code: 'e' },
  maxima: { code: '' },
  gp: { code: '' },
  sage: { code: 'c' },
  matlab: { code: '' },
  'octave-cli': { code: '', codeLong: /^--eval/ },
  electron: { code: 'er' },
  lli: { code: '' },
  wasmtime: { code: '' },
  runhaskell: { code: '' },
  erb: { code: '' },
  perl: { code: 'eE', valued: 'IMmx' },
  php: { code: 'rBRE', valued: 'cdfFtSz' },
  lua: { code: 'e', valued: 'l' },
  luajit: { code: 'e', valued: 'ljbO' },
  Rscript: { code: 'e', codeLong: /^--(?:expression|default-packages)/ },
  R: { code: 'e', valued: 'fg' },
  julia: { code: 'eEL', valued: 'pHtCJ' },
  elixir: { code: 'er', codeLong: /^--(?:eval|rpc-eval)/ },
  erl: { code: '', codeLong: /^-eval/ },
  escript: { code: '' },
  tclsh: { code: '' },
  wish: { code: '' },
  expect: { code: 'c' },
  guile: { code: 'c', valued: 'Lles' },
  racket: { code: 'e', valued: 'tlpr' },
  sbcl: { code: '', codeLong: /^--(?:eval|load|script)/ },
  clojure: { code: 'e', valued: 'iXM' },
  scala: { code: 'e' },
  groovy: { code: 'e' },
  java: {
    code: '',
    valued: '',
    codeLong:
      /^-(?:javaagent|agentlib|agentpath|Xbootclasspath|XX:OnError|XX:OnOutOfMemoryError|cp|classpath|-class-path|p|-module-path|jar|D)/,
  },
  kotlin: { code: 'e' },
  swift: { code: '' },
  dotnet: {
    code: '',
    harmless: /^(?:build|test|restore|clean|format|publish|pack|--version|--info|list)$/,
  },
  ghci: { code: 'e' },
  runghc: { code: '' },
  ocaml: { code: 'e' },
  octave: { code: '', codeLong: /^--eval/ },
  gnuplot: { code: 'e' },
  m4: { code: '' },
  jshell: { code: '' },
  jjs: { code: '' },
};

/** For others `-v` only makes them talk more while they run. */
const saysVersion: ReadonlySet<string> = new Set([
  'node',
  'ruby',
  'perl',
  'php',
  'lua',
  'deno',
  'bun',
]);

const version = /^(?:--version|--help|-V|-version|-h)$/;

/** Whether a program, by the last part of its name, runs code that it is given. */
export function isInterpreter(word: string | undefined): boolean {
  const name = (word ?? '').replace(/^.*\//, '').replace(/[0-9.]+$/, '');
  return Object.hasOwn(interpreters, name);
}

/** An interpreter: inline code, a module, a script, or code from its input. */
export function judgeInterpreter(interpreter: Interpreter, program: string): Judge {
  return (args): Finding => {
    const [first] = args;
    if (first === undefined) return never(`${program} runs whatever it is given as input`);
    if (
      args.length === 1 &&
      (version.test(first.text) || (first.text === '-v' && saysVersion.has(program)))
    )
      return open;
    if (first.live === null && interpreter.harmless?.test(first.text) === true)
      return args.some(({ text }) =>
        /^-r$|^--(?:preload|require|import|config|cwd|eval)/.test(text),
      )
        ? pinned(`an option of ${program} loads code or settings`)
        : open;
    return judgeWords(interpreter, program, args);
  };
}

function judgeWords(interpreter: Interpreter, program: string, args: readonly Argument[]): Finding {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined) break;
    const { text } = arg;
    if (text === '-' || text === '/dev/stdin' || text === '-s' || text === '-i')
      return never(`${program} runs whatever it is given as input`);
    if (text === '--') continue;
    if (!text.startsWith('-') || arg.live !== null)
      return {
        ...pinned(
          `${program} runs the code in a file that its arguments name`,
          [],
          arg.live === null ? at + 1 : undefined,
        ),
        script: text,
      };
    if (interpreter.codeLong?.test(text) === true)
      return inline(interpreter, program, args.slice(at));
    if (text.startsWith('--')) continue;
    for (let index = 1; index < text.length; index++) {
      const letter = text[index] ?? '';
      if (interpreter.code.includes(letter))
        return inline(interpreter, program, args.slice(at + 1));
      if (letter === interpreter.module)
        return judgeModule(
          program,
          at === 0 && text === '-m' && !program.startsWith('i') ? args.slice(1) : [],
        );
      if (interpreter.valued?.includes(letter) === true) {
        if (index === text.length - 1) at++;
        break;
      }
    }
  }
  return never(`${program} runs whatever it is given as input`);
}

/** Modules that are the program of the same name. */
const modules = /^(?:pytest|mypy|ruff|black|flake8|pylint|isort|pip)$/;

/** Python's own options end at the module, so what follows it is the module's. */
function judgeModule(program: string, words: readonly Argument[]): Finding {
  const why = `${program} runs a module that its arguments name`;
  const [module] = words;
  const known = module !== undefined && module.live === null && modules.test(module.text);
  return known ? pinned(why, carriedWords(words), 2) : pinned(why);
}

function inline(interpreter: Interpreter, program: string, rest: readonly Argument[]): Finding {
  if (rest.length === 0) return never(`${program} is given its code by another program`);
  const text =
    interpreter === shell ? carriedText(rest.find((arg) => !arg.text.startsWith('-'))?.text) : [];
  return pinned(`${program} runs code that stands in its arguments`, text);
}
