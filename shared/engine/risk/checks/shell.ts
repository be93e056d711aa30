import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { operands, valuesOf } from '../options.ts';

const shells = /^(?:ba|z|da|k|mk|fi|a|c|tc)?sh$/;
const interpreters =
  /^(?:python|pypy|node|deno|bun|perl|ruby|php|lua|rscript|tclsh|osascript|pwsh)[\d.]*$/;

/** Whether a program runs what stands in its arguments or in what it reads. */
export function takesCommands(name: string): boolean {
  return shells.test(name) || interpreters.test(name);
}

/** Text from another program, run as commands. */
export const checkPipeToShell: RiskCheck = ({ name, args, piped }) => {
  if (!piped || !takesCommands(name)) return [];
  const code = args.some((arg) => /^-(?:c|e|m|r|p|-eval|-print)$/.test(arg));
  const script = operands(args).find((arg) => arg !== '-' && arg !== '/dev/stdin');
  if (code || (script !== undefined && !args.includes('-s'))) return [];
  return [
    finding('pipe-to-shell', 'high', `Runs whatever comes through the pipe as ${name} commands.`),
  ];
};

const downloadsAsCode =
  /(?:\b(?:ba|z|da|k)?sh\s+(?:-\w+\s+)*|\beval\s+|\bsource\s+|(?:^|[;&|\s])\.\s+)["']?(?:<\(|\$\(|`)\s*(?:curl|wget|fetch)\b/;

/** `bash <(curl …)`, `sh -c "$(curl …)"`, `eval "$(wget …)"`: no plan, so the text decides. */
export function checkDownloadAsCode(text: string): RoughFinding | null {
  if (!downloadsAsCode.test(text)) return null;
  return finding('pipe-to-shell', 'high', 'Runs what it downloads.');
}

/** `bash -i >& /dev/tcp/HOST/PORT`: the names by which bash opens connections. */
export function checkConnection(text: string): RoughFinding | null {
  if (!/[<>&\s'"]\/+dev\/+(?:tcp|udp)\//.test(text)) return null;
  return finding('data-leaving', 'high', 'Connects a shell to another machine.');
}

const codeOptions: readonly (readonly [program: RegExp, options: readonly string[]])[] = [
  [/^(?:python|pypy)[\d.]*$/, ['-c']],
  [/^(?:node|bun)$/, ['-e', '-p', '--eval', '--print']],
  [/^perl[\d.]*$/, ['-e', '-E']],
  [/^(?:ruby|lua|rscript|osascript)[\d.]*$/, ['-e']],
  [/^php[\d.]*$/, ['-r']],
];

const dangerousCode =
  /system|subprocess|popen|exec|spawn|child_process|socket|https?:|urllib|requests?\.|fetch\(|rmtree|unlink|rmSync|rmdir|os\.remove|FileUtils|\beval\b|compile\(|__import__|base64|writeFile|open\([^)]*['"][wa]/;

/** Code that stands in the command itself. */
export const checkInlineCode: RiskCheck = ({ name, args, reading }) => {
  const options = codeOptions.find(([program]) => program.test(name))?.[1] ?? [];
  const codes =
    reading === null
      ? [...valuesOf(args, options), ...awkCode(name, args)]
      : reading.effects.flatMap((effect) => (effect.kind === 'code' ? (effect.text ?? []) : []));
  return codes.map((code) => {
    const dangerous = dangerousCode.test(code);
    const what = dangerous ? ', which starts programs, uses the network or changes files' : '';
    return finding(
      'inline-code',
      dangerous ? 'high' : 'low',
      `Runs code from the command itself with ${name}${what}.`,
      [code],
    );
  });
};

/** awk programs are everyday filters; only what runs commands counts. */
function awkCode(name: string, args: readonly string[]): readonly string[] {
  if (!/^[gmn]?awk$/.test(name)) return [];
  return args.filter((arg) => /\bsystem\s*\(|\|\s*getline|\|&|\bprint\b[^;}]*\|\s*"/.test(arg));
}
