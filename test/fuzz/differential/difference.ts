import type { Call, Trace } from './run.ts';

export interface Difference {
  /** What differs, without the words of the line: failures of one kind are counted together. */
  readonly kind: string;
  readonly detail: string;
}

/**
 * How two runs differ in what matters: which programs ran, where, with which words, variables and
 * input, and what was printed. Where messages of the shell may have got among the data, only what
 * the stand-ins printed is compared: messages name line numbers and paths as they were written.
 * Where a job runs in the background, chance decides who of two reads a line and who prints first:
 * then all that was read, and all that was printed, is compared without an order.
 */
export function difference(line: string, text: Trace, canonical: Trace): Difference | null {
  const programs = [callsOf(text, programsOnly), callsOf(canonical, programsOnly)] as const;
  if (programs[0] !== programs[1]) {
    const names = [namesOf(text), namesOf(canonical)] as const;
    const kind = names[0] === names[1] ? 'other words, folder or variable' : 'other programs ran';
    return { kind, detail: programs.join('\n  ') };
  }
  const messages = mixesMessages(line);
  const view = (call: Call): unknown =>
    messages ? { ...call, input: call.input.filter(isFromStandIn) } : call;
  const atOnce = hasBackground(line);
  const read = ({ calls }: Trace): string =>
    JSON.stringify(calls.flatMap((call) => call.input.filter(isFromStandIn)).toSorted());
  const inputs = [text, canonical].map((trace) => (atOnce ? read(trace) : callsOf(trace, view)));
  if (inputs[0] !== inputs[1]) return { kind: 'other input', detail: inputs.join('\n  ') };
  const outputs = [text, canonical].map(({ output }) => {
    const printed = output.split('\n').filter((each) => !messages || isFromStandIn(each));
    return JSON.stringify(atOnce ? printed.toSorted() : printed);
  });
  if (outputs[0] !== outputs[1]) return { kind: 'other output', detail: outputs.join('\n  ') };
  return null;
}

function programsOnly({ program, cwd, variables, args }: Call): unknown {
  return { program, cwd, variables, args };
}

/** Sorted: what runs at the same time is written down in any order. */
function callsOf(trace: Trace, view: (call: Call) => unknown): string {
  return trace.calls
    .map((call) => JSON.stringify(view(call)))
    .toSorted()
    .join('\n');
}

function namesOf({ calls }: Trace): string {
  return calls
    .map(({ program }) => program)
    .toSorted()
    .join(' ');
}

/** Standard error goes somewhere else than to nothing. */
function mixesMessages(line: string): boolean {
  const joined = line.replaceAll('\\\n', '');
  return /2>(?!\s*\/dev\/null)|&>|>&|\|&/.test(joined);
}

/** A `&` by itself, also one within quotes: that costs only the order. */
export function hasBackground(line: string): boolean {
  return /(?<![&<>|\\])&(?![&>])/.test(line);
}

/** Also the status that ends a line, and lines that two programs wrote at the same time. */
function isFromStandIn(line: string): boolean {
  return /^(?:out|err) [a-z0-9]+(?: \d+)?$|^=\d+$/.test(line);
}
