import { messageOf, refuse } from '../../shared/base/index.ts';
import { hideKnown, knownMark, spellingsOf } from '../../shared/engine/index.ts';
import type { Ask } from '../../shared/engine/index.ts';
import type { AppState, BridgeCall, BridgeResult } from '../bridge/types.ts';
import type { UiHost } from './types.ts';

interface SecretGuardOptions {
  /** How often values have changed. Throws where the list cannot be read. */
  readonly revision: () => number;
  /** Every value that is kept. Rejects where one cannot be read. */
  readonly values: () => Promise<Iterable<Uint8Array>>;
  /** Called once, before the first value is in the memory of this process. */
  readonly beforeValues: () => void;
  readonly log: (line: string) => void;
}

/** Stands between what the host knows and every page, shell and notice. */
interface SecretGuard {
  /** Learns what has changed. Never rejects: what was known before is taken out on. */
  readonly refresh: () => Promise<void>;
  /** The same host, from which no value of a secret that is kept goes to anybody. */
  readonly around: (
    host: Pick<UiHost, 'handle' | 'subscribe'>,
  ) => Pick<UiHost, 'handle' | 'subscribe'>;
}

/** The guard over the secrets of a home. A look costs the reading of one small file. */
export function createSecretGuard({
  revision,
  values,
  beforeValues,
  log,
}: SecretGuardOptions): SecretGuard {
  let known = 0;
  let spellings: readonly string[] = [];
  /** Asks as they are shown: they never change, are long, and come again with every state. */
  let shown = new WeakMap<Ask, Ask>();
  let warned = '';
  const guarded = (problem: unknown): void => {
    const text = messageOf(problem);
    if (text !== warned)
      log(`The secrets that are kept cannot be read, so new ones are not taken out: ${text}`);
    warned = text;
  };
  const isCurrent = (): boolean => {
    try {
      return revision() === known;
    } catch (error) {
      guarded(error);
      return true;
    }
  };
  const learn = async (): Promise<void> => {
    try {
      const now = revision();
      if (now === known) return;
      if (known === 0) beforeValues();
      const found = [...(await values())];
      const all = found.flatMap((value) => spellingsOf(Buffer.from(value).toString('utf8')));
      spellings = [...new Set(all)].toSorted((one, other) => other.length - one.length);
      shown = new WeakMap();
      known = now;
      warned = '';
    } catch (error) {
      guarded(error);
    }
  };
  const hide = <T>(value: T): T => (spellings.length === 0 ? value : hideKnown(value, spellings));
  const withAsk = <T extends { readonly ask: Ask }>(one: T): T => {
    const { ask, ...rest } = one;
    const made = shown.get(ask) ?? hide(ask);
    shown.set(ask, made);
    return { ...hide(rest), ask: made } as unknown as T;
  };
  const hideState = (state: AppState): AppState => {
    if (spellings.length === 0) return state;
    const { queue, missed, ...rest } = state;
    return { ...hide(rest), queue: queue.map(withAsk), missed: missed.map(withAsk) };
  };

  const handle =
    (host: Pick<UiHost, 'handle'>): UiHost['handle'] =>
    async (call, args) => {
      await learn();
      // A page has seen the mark in the place of a value: what it saves would hold for other words.
      const answer =
        call === 'savePolicy' && spellings.length > 0 && holdsMark(args)
          ? unsaved()
          : await host.handle(call, args);
      await learn();
      return hide(answer);
    };
  return {
    refresh: learn,
    around: (host) => ({
      handle: handle(host),
      subscribe: statesOf(host, { isCurrent, learn, hide: hideState }),
    }),
  };
}

/**
 * The states of a host as pages get them. While it is not known what is to be taken out, they are held
 * back, and then only the newest goes on.
 */
function statesOf(
  host: Pick<UiHost, 'subscribe'>,
  {
    isCurrent,
    learn,
    hide,
  }: {
    readonly isCurrent: () => boolean;
    readonly learn: () => Promise<void>;
    readonly hide: (state: AppState) => AppState;
  },
): UiHost['subscribe'] {
  return (listener) => {
    let newest: AppState | null = null;
    let isLearning = false;
    let isOver = false;
    const flush = (): void => {
      const state = newest;
      newest = null;
      if (state !== null && !isOver) listener(hide(state));
    };
    const learnFirst = async (): Promise<void> => {
      isLearning = true;
      await learn();
      isLearning = false;
      flush();
    };
    const stop = host.subscribe((state) => {
      newest = state;
      if (isLearning) return;
      if (isCurrent()) flush();
      else void learnFirst();
    });
    return () => {
      isOver = true;
      stop();
    };
  };
}

/** What is only told of a rule: it decides nothing, and has the mark where the command had a value. */
const told: readonly string[] = ['lastUsedCommand', 'lastResolvedPath', 'note'];

function holdsMark(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(knownMark);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, one]) => name.includes(knownMark) || (!told.includes(name) && holdsMark(one)),
  );
}

function unsaved(): BridgeResult<BridgeCall> {
  const { refusal } = refuse(
    'invalid-request',
    'A rule of this edit has the value of a secret that is kept here, which no page is shown.',
    'Take the value out of the rule, or edit the file by hand.',
  );
  return { ok: false, refusal };
}
