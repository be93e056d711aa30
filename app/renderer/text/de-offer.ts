import { displayPlain } from '../../../shared/base/index.ts';
import type { Clause } from '../../../shared/engine/index.ts';

/** What a proposal would allow, from the same parts as the gate's own sentence. */
export function offer(clauses: readonly Clause[]): string {
  const told = clauses.map((one) => clause(plain(one)));
  return `Erlaubt wird: ${[...new Set(told)].join('; und ')}.`;
}

/** Only what comes from the command is made safe to show: the quotes around it are our own. */
function plain({ kind, name, of, names, words, ...bounds }: Clause): Clause {
  const { env, cwd, writes, content, files } = bounds;
  return {
    ...bounds,
    kind,
    name: displayPlain(name),
    ...(of !== undefined && { of: displayPlain(of) }),
    ...(names !== undefined && { names: names.map(displayPlain) }),
    ...(words !== undefined && {
      words: words.map((one) => ({ ...one, text: displayPlain(one.text) })),
    }),
    ...(env !== undefined && { env: env.map(displayPlain) }),
    ...(cwd !== undefined && { cwd: displayPlain(cwd) }),
    ...(writes !== undefined && { writes: writes.map(displayPlain) }),
    ...(content !== undefined && { content: displayPlain(content) }),
    ...(files !== undefined && { files: files.map(displayPlain) }),
  };
}

function clause(one: Clause): string {
  const { env, cwd, below, writes, content, files, lines, sameScript, unlessRisky } = one;
  return [
    allowed(one),
    env === undefined ? '' : ` mit ${env.join(' ')}`,
    cwd === undefined ? '' : ` in ${cwd}${below === true ? ' und darunter' : ''}`,
    writes === undefined ? '' : `, wobei ${writes.join(', ')} geschrieben wird`,
    content === undefined
      ? ''
      : `, solange sich ${content === '' ? 'das Programm' : content} selbst nicht ändert`,
    files === undefined
      ? ''
      : `, solange sich ${files.join(', ')} nicht ${files.length === 1 ? 'ändert' : 'ändern'}`,
    lines === undefined
      ? ''
      : `, mit genau ${lines === 1 ? 'der einen Zeile' : `den ${String(lines)} Zeilen`} Code, die hier zu sehen ${lines === 1 ? 'ist' : 'sind'}`,
    sameScript === true ? ', solange das Skript so lautet wie jetzt' : '',
    unlessRisky === true ? ', außer wenn es gefährlich aussieht' : '',
  ].join('');
}

function allowed({ kind, name, of = '', names = [], words = [] }: Clause): string {
  switch (kind) {
    case 'local-git':
      return 'was Git nur auf diesem Rechner tut: lesen, festhalten, beiseitelegen, wechseln, zusammenführen und Tags setzen, wo keine Arbeit verloren geht und nichts geholt oder geschickt wird,';
    case 'tool':
      return `${name} für genau ${of}`;
    case 'files-below':
      return `Änderungen an jeder Datei in ${of} und darunter`;
    case 'files-in':
      return `Änderungen an jeder Datei in ${of}`;
    case 'site':
      return `jede Adresse von ${of}`;
    case 'server':
      return `jedes Werkzeug von ${of}`;
    case 'scripts':
      return `${name} mit jedem Skript, das jetzt in ${of} steht (${names.join(', ')}), und mit beliebigen Argumenten`;
    case 'reads':
      return `alles, womit ${name} nur liest und nichts ändert,`;
    case 'any-arguments':
      return `${name} mit beliebigen Argumenten`;
    case 'further-arguments':
      return `„${of}“ mit beliebigen weiteren Argumenten`;
    case 'exact':
      return `genau „${of}“`;
    case 'other-files':
      return `„${words.map(word).join(' ')}“`;
    default:
      return kind satisfies never;
  }
}

function word({ text, any }: NonNullable<Clause['words']>[number]): string {
  if (any === undefined) return text;
  return any === 'below' ? '«jede Datei unter dem Ordner»' : `«jede Datei in ${text}»`;
}
