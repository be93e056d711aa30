import { displayPlain } from '../../shared/base/index.ts';
import { approversWords, nodeWords } from '../../shared/engine/index.ts';
import type { AskStage, Span } from '../../shared/engine/index.ts';
import type { QueuedAsk } from '../bridge/types.ts';
import { actWords, doesSentence, folderWords, hostWords } from '../bridge/words.ts';
import { piece, wrap } from './line.ts';
import type { Line, Look, Piece } from './line.ts';

/** Shown for a stage without a program file. */
function noFile({ program, argv }: AskStage): string {
  if (program === 'tool') return argv.slice(1).join(' ');
  if (program === 'builtin') return 'part of the shell';
  return program === 'missing' ? 'program not found' : 'part of the shell, or not found';
}

/** One program does all of it, as itself. */
function isOne({ stages }: QueuedAsk['ask']): boolean {
  return stages.length === 1 && stages.every(({ via }) => via.length === 0);
}

/** What an ask says, top to bottom, in rows of a width. The command comes first and is never cut. */
export function promptText({ ask }: QueuedAsk, width: number): readonly Line[] {
  const rows: Line[] = [...commandRows(ask.command, riskSpans(ask.risk.findings), width)];
  const say = (label: string, text: string, look: Look = 'plain'): void => {
    const line = [piece(`${label} `, 'faint'), ...safe(text, look)];
    rows.push(...wrap(line, { width, indent: '  ', words: true }));
  };

  const says = (stage: AskStage): void => {
    const { parts } = doesSentence(stage, {
      verbs: actWords,
      folders: folderWords,
      sentences: {},
      isEnglish: true,
    });
    const said = parts.map(({ text, isName }) => (isName ? `"${text}"` : text));
    if (said.length > 0) say('does', said.join(''));
  };

  if (ask.detail !== undefined && ask.detail !== null) {
    const lookOf = ask.detail.form === 'diff' ? diffLook : (): Look => 'plain';
    for (const line of ask.detail.text.split('\n'))
      rows.push(...wrap([piece('  '), ...safe(line, lookOf(line))], { width, indent: '  ' }));
  }
  for (const { level, text } of ask.risk.findings) {
    say(level === 'high' ? '!!' : '!', text, level === 'high' ? 'danger' : 'caution');
  }
  if (ask.opaque !== null) say('?', ask.opaque.detail, 'caution');
  const [only] = ask.stages;
  if (only !== undefined && isOne(ask)) says(only);
  say('why', ask.why);
  say('in', ask.cwd);
  const people = approversWords(ask);
  if (people !== null) say('people', people);
  if (ask.statedReason !== null) say('agent says', ask.statedReason);
  if (ask.advice !== undefined) {
    const { by, answer, reason } = ask.advice;
    const said = answer === 'none' ? 'gave no answer' : `claims "${answer}"`;
    say('advisor', `${by} ${said}: ${reason}`, answer === 'refuse' ? 'caution' : 'plain');
  }
  if (!isOne(ask)) {
    for (const [index, stage] of ask.stages.entries()) {
      const words = [...stage.via, ...stage.argv].join(' ');
      say(`${index + 1}.`, `${words} (${stage.resolvedPath ?? noFile(stage)})`);
      says(stage);
    }
  } else if (only !== undefined) {
    say('runs', only.resolvedPath ?? `${only.argv[0] ?? ''} (${noFile(only)})`);
  }
  for (const path of ask.stages.flatMap(({ writes }) => writes)) say('writes', path, 'caution');
  for (const { name, value, unsafe } of ask.env) {
    say('sets', `${name}=${value}`, unsafe ? 'danger' : 'plain');
  }
  if (ask.node !== undefined) say('node', nodeWords(ask.node));
  const host = hostWords[ask.host] ?? ask.host;
  say('host', ask.session === null ? host : `${host}, session ${ask.session}`);
  if (ask.toolUseId !== null) say('tool use', ask.toolUseId, 'faint');
  if (ask.ancestry.length > 0) {
    say('asked by', ask.ancestry.map(({ name, pid }) => `${name} (${pid})`).join(' < '));
  }
  return rows;
}

/** What a diff removes matters most, and colour alone does not tell: the sign stays. */
function diffLook(line: string): Look {
  if (line.startsWith('-')) return 'danger';
  return line.startsWith('+') ? 'strong' : 'faint';
}

/** A command with the words that caused a finding marked, every line break kept. */
function commandRows(command: string, spans: readonly MarkedSpan[], width: number): Line[] {
  const lines: Piece[][] = [[piece('$ ', 'faint')]];
  for (const { text, look } of marked(command, spans)) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([piece('  ')]);
      lines.at(-1)?.push(...safe(part, look));
    }
  }
  return lines.flatMap((line) => wrap(line, { width, indent: '  ' }));
}

interface MarkedSpan extends Span {
  readonly look: Look;
}

function riskSpans(findings: QueuedAsk['ask']['risk']['findings']): readonly MarkedSpan[] {
  return findings
    .flatMap(({ level, spans }) =>
      spans.map(({ start, end }): MarkedSpan => {
        return { start, end, look: level === 'high' ? 'danger' : 'caution' };
      }),
    )
    .toSorted((a, b) => a.start - b.start);
}

/** The text in pieces of one style each. Where spans overlap, the earlier one wins. */
function marked(text: string, spans: readonly MarkedSpan[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, look } of spans) {
    const from = Math.max(at, start);
    if (end <= from) continue;
    pieces.push(piece(text.slice(at, from), 'strong'), piece(text.slice(from, end), look));
    at = end;
  }
  return [...pieces, piece(text.slice(at), 'strong')];
}

/** Text from outside as a piece that cannot control the terminal. */
function safe(text: string, look: Look): Piece[] {
  const shown = displayPlain(text)
    .replaceAll('\t', '⇥')
    .replaceAll(/\p{Cc}/gu, ' ');
  return shown === '' ? [] : [piece(shown, look)];
}

/** The same for one line: line breaks are shown, not made. */
export function safeLine(text: string): string {
  return displayPlain(text.replaceAll('\n', '⏎'))
    .replaceAll('\t', '⇥')
    .replaceAll(/\p{Cc}/gu, ' ');
}
