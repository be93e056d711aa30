import type { HistoryEntry } from '../../shared/wire/index.ts';
import type { ActKind, AskStage, RequestKind, WithdrawReason } from '../../shared/engine/index.ts';

/** Words that page and terminal have in common, in English, so that both say the same. */

/** Why something was allowed or refused, in two or three words. */
export const outcomeWords: Record<string, string> = {
  'rule-allow': 'a rule allows it',
  'security-full': 'everything runs here',
  'allow-once': 'once',
  'allow-always': 'remembered',
  grant: 'granted earlier',
  'sandbox-unasked': 'ran in the sandbox, nobody was asked',
  'advised-safe': 'an advisor said safe, ran in the sandbox',
  'project-edit': 'a file of the project, nobody was asked',
  'node-decides': 'left to the node',
  'not-found': 'no such program',
  'hmac-fail': 'signature not valid',
  'replay-detected': 'sent twice',
  'lockout-active': 'locked out',
  'pause-active': 'paused',
  'rate-limit': 'too many requests',
  'concurrency-busy': 'too many at once',
  'policy-deny': 'policy',
  'confirm-rejected': 'said no',
  'approval-timeout': 'nobody answered',
  'requester-gone': 'the asker went away',
  'approver-unavailable': 'nobody there',
  'command-timeout': 'ran too long',
  'binding-drift': 'changed meanwhile',
  'config-invalid': 'set-up not valid',
  'audit-unavailable': 'no audit log',
  'host-unavailable': 'host not there',
  'invalid-request': 'request not valid',
  'stale-on-recovery': 'cut off by a restart',
  'gate-disarmed': 'gate disarmed',
  'egress-deny': 'host not allowed',
  'upstream-unavailable': 'other side not there',
};

/** Who decided. */
export const byWords: Record<HistoryEntry['by'], string> = {
  policy: 'by policy',
  person: 'by you',
  fallback: 'by fallback',
  advisor: 'by an advisor',
};

/** How an ask ended without an answer from here. */
export const withdrawnWords: Record<WithdrawReason, string> = {
  answered: 'Answered elsewhere',
  covered: 'A rule allows it by now',
  expired: 'Time ran out',
  'requester-gone': 'The agent stopped waiting',
  lockout: 'Refused by the lockout',
  'box-lockout': 'Its box was locked',
  pause: 'Refused by the pause',
  'runner-stopping': 'The runner stopped',
};

/** What an agent wants, between its name and the command. */
export const wantsWords: Record<RequestKind, string> = {
  exec: 'wants to run',
  edit: 'wants to change a file',
  fetch: 'wants to fetch',
  mcp: 'wants to use a tool',
  egress: 'wants to reach',
};

/** Where it would run. */
export const hostWords: Readonly<Record<string, string>> = {
  gateway: 'this machine',
  sandbox: 'sandbox',
  node: 'another machine',
};

/** What a stage does to what is named; with no name where it is not known. */
export const actWords: Record<ActKind, (of: string) => string> = {
  reads: (of) => `reads ${of === '' ? 'files' : of}`,
  writes: (of) => `writes ${of === '' ? 'files' : of}`,
  edits: (of) => `changes ${of === '' ? 'files' : of}`,
  deletes: (of) => `deletes ${of === '' ? 'files' : of}`,
  into: (of) => `writes into ${of === '' ? 'this folder' : of}`,
  runs: (of) => `runs ${of === '' ? 'code' : of}`,
  loads: (of) => `loads ${of === '' ? 'settings or code' : of}`,
  sets: (of) => `sets ${of === '' ? 'something that lasts' : of}`,
  sends: (of) => `sends to ${of === '' ? 'another machine' : of}`,
  fetches: (of) => `fetches from ${of === '' ? 'another machine' : of}`,
};

/** Folders that are written as dots, which would run into the punctuation. */
export const folderWords: Readonly<Record<string, string>> = {
  '.': 'this folder',
  '..': 'the folder above',
};

type Acts = NonNullable<AskStage['acts']>;

/** What a sentence of a record calls the things that words name; not "what files are", "their dates". */
const things =
  /^(.*)\b(?:files and folders|files(?! and folders)|(?<!files and )folders)\b(?! are\b)(.*)$/;
const onFiles: readonly ActKind[] = ['reads', 'writes', 'edits', 'deletes', 'into'];

/**
 * The sentence of a record with the names in it: "Prints the last lines of files" of `log.txt` is
 * "Prints the last lines of log.txt". Null where a stage does more than one thing, or names nothing.
 */
function withNames(does: string, acts: Acts, folders: typeof folderWords): string | null {
  const [only] = acts;
  const parts = things.exec(does);
  if (acts.length !== 1 || only === undefined || only.of.length === 0 || parts === null)
    return null;
  if (!onFiles.includes(only.act) || /\b(?:their|them)\b/.test(does)) return null;
  const names = only.of.map((name) => marked(name, folders));
  const [, before = '', after = ''] = parts;
  const said = [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '');
  return `${before}${said.join(' and ')}${after}`;
}

/** The words of a language for what stages do. */
interface Wording {
  readonly verbs: typeof actWords;
  readonly folders: typeof folderWords;
  /** Sentences of records, by the English; those that are missing are said by the verbs. */
  readonly sentences: Readonly<Record<string, string>>;
  readonly isEnglish: boolean;
}

/** A part of a sentence; a name is as the command has it, and is to be shown apart from the words. */
export interface SaidPart {
  readonly text: string;
  readonly isName: boolean;
}

/** No word of a command holds this character. */
const mark = '\0';

/** A name in a sentence: a file called "nothing" must not read as a word of it. */
function marked(name: string, folders: typeof folderWords): string {
  return folders[name] ?? `${mark}${name}${mark}`;
}

/**
 * What a stage does, in one sentence: its record's, with the files and addresses that the words name.
 * The record writes English; another language has the verbs and says the rest with them. No parts
 * where nothing is known.
 */
export function doesSentence(
  stage: Pick<AskStage, 'does' | 'acts'>,
  { verbs, folders, sentences, isEnglish }: Wording,
): { readonly parts: readonly SaidPart[]; readonly isEnglish: boolean } {
  const acts = stage.acts ?? [];
  const original = stage.does ?? '';
  const translated = Object.hasOwn(sentences, original) ? sentences[original] : undefined;
  const does = (translated ?? original).replace(/\.$/, '');
  const own = isEnglish || translated !== undefined || acts.length === 0 ? does : '';
  const named = isEnglish ? withNames(does, acts, folders) : null;
  const told = acts.map(({ act, of }) =>
    verbs[act](of.map((name) => marked(name, folders)).join(', ')),
  );
  const said = named ?? [own, told.join(', ')].filter((part) => part !== '').join(': ');
  if (said === '') return { parts: [], isEnglish: false };
  const parts = `${said.slice(0, 1).toUpperCase()}${said.slice(1)}.`.split(mark);
  return {
    parts: parts
      .map((text, index) => ({ text, isName: index % 2 === 1 }))
      .filter(({ text }) => text !== ''),
    isEnglish: own !== '' && translated === undefined,
  };
}
