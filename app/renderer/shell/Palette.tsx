import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { Dialog } from '../primitives/Dialog.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { useSettings } from '../settings/useSettings.ts';
import { useApp } from '../state/app.ts';
import { useOwnPolicy } from '../state/policy.ts';
import { useText } from '../state/preferences.ts';
import type { Catalogue } from '../text/en.ts';
import { foundEntries, paletteEntries } from './palette-entries.ts';
import type { PaletteEntry } from './palette-entries.ts';
import './palette.css';

/** Entries that are in the list at once; more are found by typing. */
const mostShown = 12;

interface PaletteProps {
  readonly onClose: () => void;
  readonly onKeys: () => void;
}

/** All that can be chosen. It stands still: what comes meanwhile may not slide under a key or a click. */
function useEntries(showKeys: () => void): readonly PaletteEntry[] {
  const text = useText();
  const state = useApp((model) => model.state);
  const open = useApp((model) => model.link === 'open');
  const { change } = useSettings();
  const agents = useOwnPolicy()?.document?.agents;
  const [facts] = useState({ state, open });
  return useMemo(
    () => paletteEntries({ ...facts, agents: Object.keys(agents ?? {}), text, showKeys, change }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [facts, agents, text],
  );
}

/** Everything by its name: one field, and the entries that fit what is typed. */
export function Palette({ onClose, onKeys }: PaletteProps) {
  const text = useText();
  const id = useId();
  const entries = useEntries(onKeys);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // A dialog that opens gives the focus to its first button.
  useEffect(() => field.current?.focus(), []);
  const found = foundEntries(entries, typed, text);
  const shown = found.slice(0, mostShown);
  const current = Math.min(at, shown.length - 1);
  const choose = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const move = (to: number): void => {
    setAt(to);
    list.current?.children[to]?.scrollIntoView({ block: 'nearest' });
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move((current + 1) % Math.max(1, shown.length));
    else if (event.key === 'ArrowUp')
      move((current + shown.length - 1) % Math.max(1, shown.length));
    else if (event.key === 'Enter' && !event.repeat) choose(shown[current]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title={text.palette.title} onClose={onClose}>
      <div className="palette">
        <input
          ref={field}
          className="input"
          role="combobox"
          aria-label={text.palette.placeholder}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={current < 0 ? undefined : `${id}-${current}`}
          placeholder={text.palette.placeholder}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
        <div
          ref={list}
          id={id}
          className="palette-list"
          role="listbox"
          aria-label={text.palette.title}
        >
          {shown.map((entry, index) => (
            <Option
              key={entry.id}
              id={`${id}-${index}`}
              entry={entry}
              isCurrent={index === current}
              onChoose={() => choose(entry)}
              onKeyDown={press}
            />
          ))}
        </div>
        <p className="faint small" role="status">
          {countText(found.length, text)}
        </p>
      </div>
    </Dialog>
  );
}

function countText(found: number, { palette }: Catalogue): string {
  if (found === 0) return palette.nothing;
  return found > mostShown ? palette.more(found - mostShown) : palette.found(found);
}

interface OptionProps {
  readonly id: string;
  readonly entry: PaletteEntry;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function Option({ id, entry, isCurrent, onChoose, onKeyDown }: OptionProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      // The field names it with aria-activedescendant.
      tabIndex={-1}
      className="palette-entry"
      data-guarded={entry.guarded === true ? '' : undefined}
      // The field keeps the focus, and with it the keys.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
      onKeyDown={onKeyDown}
    >
      <Icon name={entry.icon} />
      <span>{entry.label}</span>
    </div>
  );
}
