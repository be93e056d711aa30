import { opaque } from '../parse/syntax.ts';
import type { Command, FileRedirect, Redirect } from '../parse/syntax.ts';
import { unquotedText } from '../parse/word.ts';
import { quoteWord } from '../parse/shell-quote.ts';
import { futureTarget, realTarget } from './paths.ts';
import { lookupAt, type PlanContext, type Place } from './shell-state.ts';
import { expandBody, expandWord } from './expand.ts';

type Part = { readonly text: string } | { readonly descriptor: string; readonly body: string };

/** Redirections of one command, read but not yet written into the rendering. */
interface RedirectPlan {
  readonly parts: readonly Part[];
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** What stands in the command and comes in as input; null where it is something else. */
  readonly input: string | null;
}

/** Files that swallow or hand on, and keep nothing. */
const harmlessToWrite = /^\/dev\/(?:null|stdout|stderr|fd\/[012])$/;
const harmlessToRead = /^\/dev\/(?:null|stdin|zero|fd\/0)$/;

/** At most this many redirections of one command. */
const mostRedirects = 32;

export function planRedirects(
  redirects: readonly Redirect[],
  context: PlanContext,
  place: Place,
): RedirectPlan {
  if (redirects.length > mostRedirects)
    throw opaque('too-long', 'A command has too many redirections.', redirects[0]?.start);
  const parts: Part[] = [];
  const writes: string[] = [];
  const reads: string[] = [];
  let input: string | null = null;
  const lookup = lookupAt(context, place);
  for (const redirect of redirects) {
    if (redirect.kind === 'text') {
      const descriptor = redirect.descriptor === null ? '' : String(redirect.descriptor);
      const body = expandBody(redirect.body, redirect.start, lookup);
      parts.push({ descriptor, body });
      if ((redirect.descriptor ?? 0) === 0) input = body;
    } else if (redirect.operator === '>&' || redirect.operator === '<&') {
      parts.push({ text: duplicate(redirect) });
      if ((redirect.descriptor ?? (redirect.operator === '<&' ? 0 : 1)) === 0) input = null;
    } else {
      const path = targetPath(redirect, context, place);
      const both = redirect.operator.startsWith('&');
      const operator = redirect.operator === '>|' ? '>' : redirect.operator.replace('&', '');
      parts.push({ text: `${redirect.descriptor ?? ''}${operator}${quoteWord(path)}` });
      if (both) parts.push({ text: '2>&1' });
      if ((redirect.descriptor ?? (redirect.operator === '<' ? 0 : 1)) === 0) input = null;
      if (redirect.operator === '<') {
        if (harmlessToRead.test(path)) continue;
        if (context.linked === 'any') throw refused(redirect, mayBeLink);
        reads.push(path);
      } else if (!harmlessToWrite.test(path)) {
        if (context.linked !== 'none') throw refused(redirect, mayBeLink);
        writes.push(path);
      }
    }
  }
  return { parts, writes, reads, input };
}

const mayBeLink = 'an earlier part of the command may turn the file into a link';

/** `2>&1` and the like; only the three standard descriptors. */
function duplicate(redirect: FileRedirect): string {
  const from = redirect.descriptor ?? (redirect.operator === '>&' ? 1 : 0);
  const to = unquotedText(redirect.target);
  if (to === null || !/^[012]$/.test(to))
    throw refused(redirect, 'a descriptor is opened, closed or moved');
  return `${from}${redirect.operator}${to}`;
}

/** Whether a command takes its input from the pipe that it stands behind, and from nothing else. */
export function takesPipe(command: Command): boolean {
  return (
    command.kind === 'simple' &&
    command.redirects.every(
      (one) => one.kind !== 'text' && one.descriptor !== 0 && !one.operator.startsWith('<'),
    )
  );
}

function targetPath(redirect: FileRedirect, context: PlanContext, place: Place): string {
  const words = expandWord(redirect.target, lookupAt(context, place), { splits: false });
  const [word] = words;
  if (words.length !== 1 || word === undefined || word.live !== null)
    throw refused(redirect, 'the file is not written out');
  const harmless = redirect.operator === '<' ? harmlessToRead : harmlessToWrite;
  if (harmless.test(word.text)) return word.text;
  // Bash opens a connection for names below /dev/tcp and /dev/udp.
  if (/^\/+dev\/+(?:tcp|udp)\//.test(word.text)) throw refused(redirect, 'a connection is opened');
  const { files } = context.surroundings;
  // An earlier part may make the folder; whether one could make it a link is asked of all of them.
  const isMade = redirect.operator !== '<' && context.changed !== 'none';
  const target =
    realTarget(files, place.cwd, word.text) ??
    (isMade ? futureTarget(files, place.cwd, word.text) : null);
  if (target === null) throw refused(redirect, 'the file cannot be told for sure');
  if (target.startsWith('/proc/')) throw refused(redirect, 'the file belongs to a running program');
  if (redirect.operator === '<' && target.startsWith('/dev/') && !harmlessToRead.test(target))
    throw refused(redirect, 'a device is read');
  return target;
}

function refused(redirect: FileRedirect, why: string): Error {
  const sentence = `A redirection is not understood: ${why}.`;
  return opaque('redirect', sentence, redirect.start, redirect.target.end);
}

/** The text of the redirections, each with a blank before it; bodies are handed to the context. */
export function renderRedirects(plan: RedirectPlan, context: PlanContext): string {
  let text = '';
  for (const part of plan.parts) {
    if ('text' in part) text += ` ${part.text}`;
    else {
      const mark = endMark(part.body);
      text += ` ${part.descriptor}<<${quoteWord(mark)}`;
      context.bodies.push(`${part.body}${mark}\n`);
    }
  }
  return text;
}

/** A line that does not occur in the body. */
function endMark(body: string): string {
  const lines = new Set(body.split('\n'));
  let mark = 'END';
  for (let count = 1; lines.has(mark); count++) mark = `END${count}`;
  return mark;
}
