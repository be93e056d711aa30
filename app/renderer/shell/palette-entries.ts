import { askerOf } from '../../../shared/engine/index.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { lockOut } from '../lockout/LockoutButton.tsx';
import type { IconName } from '../primitives/Icon.tsx';
import { themes } from '../../bridge/settings.ts';
import type { ShellSettings } from '../../bridge/settings.ts';
import { modeOf } from '../../bridge/state.ts';
import type { AppState } from '../../bridge/types.ts';
import { editPolicyOf, useDraft } from '../allowlist/draft.ts';
import { startSearch } from '../history/useHistory.ts';
import { callOrShow, reviewAsk, useApp, views } from '../state/app.ts';
import type { Catalogue } from '../text/en.ts';
import { languageName, languages } from '../text/languages.ts';

/** One line of the palette. */
export interface PaletteEntry {
  /** Unique among the entries of one list. */
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  /** More words to find it by. */
  readonly also?: string;
  /** It lets commands go on: a click that only brings the window to the front must not do it. */
  readonly guarded?: boolean;
  readonly run: () => void;
}

interface PaletteFacts {
  readonly state: AppState | null;
  /** The page is connected. */
  readonly open: boolean;
  readonly agents: readonly string[];
  readonly text: Catalogue;
  readonly showKeys: () => void;
  readonly change: (choice: Partial<ShellSettings>) => void;
}

/** Of a command only its beginning fits; the prompt shows the whole. */
const previewLength = 80;

/**
 * Everything that the palette can do. It leads to asks and answers none: that takes the prompt, with
 * everything that is to be seen there.
 */
export function paletteEntries(facts: PaletteFacts): readonly PaletteEntry[] {
  const { state, open, agents, text } = facts;
  const { show } = useApp.getState();
  const words = text.palette;
  const asks = (state?.queue ?? []).slice(0, 50).map(({ ask }): PaletteEntry => ({
    id: `ask ${ask.id}`,
    icon: ask.risk.level === 'high' ? 'danger' : 'asks',
    label: words.ask(
      displayPlain(askerOf(ask, text.prompt.unproven)),
      text.prompt.wants[ask.kind],
      displayPlain(ask.command.slice(0, previewLength)),
    ),
    run: () => reviewAsk(ask.id),
  }));
  const places = views.map((view): PaletteEntry => ({
    id: `view ${view}`,
    icon: view,
    label: words.view(text.views[view]),
    run: () => show(view),
  }));
  const rulesOf = agents
    .filter((agent) => agent !== '*')
    .map((agent): PaletteEntry => ({
      id: `rules ${agent}`,
      icon: 'allowlist',
      label: words.rulesOf(displayPlain(agent)),
      run: () => {
        editPolicyOf(null);
        useDraft.setState({ agent });
        show('allowlist');
      },
    }));
  return [...asks, ...gateEntries(state, open, text), ...places, ...rulesOf, ...lookEntries(facts)];
}

function gateEntries(
  state: AppState | null,
  open: boolean,
  text: Catalogue,
): readonly PaletteEntry[] {
  const mode = state === null ? null : modeOf(state);
  const lockout: PaletteEntry = {
    id: 'lockout',
    icon: 'lockout',
    label: text.lockout.button,
    also: `${text.lockout.title} lockout`,
    run: () => void lockOut(),
  };
  const pause: PaletteEntry = {
    id: 'pause',
    icon: 'pause',
    label: text.mode.pause,
    run: () => void callOrShow('pause', { reason: text.mode.pauseReason }),
  };
  const resume: PaletteEntry = {
    id: 'resume',
    icon: 'resume',
    label: text.mode.resume,
    guarded: true,
    run: () => void callOrShow('resume', {}),
  };
  const start: PaletteEntry = {
    id: 'start',
    icon: 'resume',
    label: text.shell.startRunner,
    run: () => void callOrShow('startRunner', {}),
  };
  return [
    ...(mode === 'locked' ? [] : [lockout]),
    ...(open && mode === 'armed' ? [pause] : []),
    ...(open && mode === 'paused' ? [resume] : []),
    ...(open && state?.canStartRunner === true ? [start] : []),
  ];
}

/** The entries that have every word of what is typed, and what else these words could mean. */
export function foundEntries(
  entries: readonly PaletteEntry[],
  typed: string,
  text: Catalogue,
): readonly PaletteEntry[] {
  const wanted = typed.trim();
  const parts = wanted.toLowerCase().split(/\s+/);
  const found = entries.filter(({ label, also = '' }) => {
    const words = `${label} ${also}`.toLowerCase();
    return parts.every((part) => words.includes(part));
  });
  if (wanted === '') return found;
  const search: PaletteEntry = {
    id: 'search',
    icon: 'search',
    label: text.palette.search(wanted),
    run: () => startSearch(wanted),
  };
  return [...found, search];
}

function lookEntries({ text, showKeys, change }: PaletteFacts): readonly PaletteEntry[] {
  const { show } = useApp.getState();
  const words = text.palette;
  return [
    {
      id: 'add-rule',
      icon: 'add',
      label: words.addRule,
      run: () => {
        editPolicyOf(null);
        show('allowlist');
        useDraft.setState({ editing: { id: null, rule: null } });
      },
    },
    { id: 'keys', icon: 'terminal', label: text.settings.showKeys, run: showKeys },
    ...themes.map((theme): PaletteEntry => ({
      id: `theme ${theme}`,
      icon: 'settings',
      label: words.theme(text.settings.themes[theme]),
      run: () => change({ theme }),
    })),
    ...languages.map((language): PaletteEntry => ({
      id: `language ${language}`,
      icon: 'settings',
      label: words.language(languageName(language)),
      run: () => change({ language }),
    })),
  ];
}
