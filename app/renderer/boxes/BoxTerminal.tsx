import { useEffect, useRef, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { Refusal } from '../../../shared/base/index.ts';
import { Button } from '../primitives/Button.tsx';
import { call } from '../state/app.ts';
import { usePreferences, useText } from '../state/preferences.ts';
import { openScreen } from './screen.ts';
import type { Screen } from './screen.ts';
import { startTerminal } from './terminal-session.ts';
import type { SessionState, TerminalSession } from './terminal-session.ts';

/** Waits so long, and until somebody can see the page. */
async function waitSeen(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  if (!document.hidden) return;
  await new Promise((resolve) =>
    document.addEventListener('visibilitychange', resolve, { once: true }),
  );
}

interface Shown {
  readonly state: SessionState;
  readonly untyped: Refusal | null;
}

/** Attaches to a box for as long as its element is there. */
function useTerminal(name: string, leaveTo: () => void) {
  const { boxes: words } = useText();
  const place = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen | null>(null);
  const [shown, setShown] = useState<Shown>({ state: { kind: 'attaching' }, untyped: null });
  const label = words.terminalOf(name);
  const leave = useRef(leaveTo);
  useEffect(() => {
    leave.current = leaveTo;
  });
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let session: TerminalSession | null = null;
    const made = openScreen(element, {
      label,
      onType: (text) => session?.type(text),
      onSize: () => session?.fit(),
      onLeave: () => leave.current(),
    });
    screen.current = made;
    made.focus();
    session = startTerminal({
      name,
      size: made.size,
      write: made.write,
      onState: (state) => {
        if (state.kind === 'attaching' || state.kind === 'lost') made.clear();
        made.open(state.kind === 'attached');
        setShown({ state, untyped: null });
      },
      onUntyped: (untyped) => setShown((before) => ({ ...before, untyped })),
      call,
      wait: waitSeen,
    });
    return () => {
      session?.leave();
      screen.current = null;
      made.dispose();
    };
  }, [name, label]);
  useColours(screen);
  return { place, ...shown };
}

/** Keeps the colours of the terminal those of the page. */
function useColours(screen: { readonly current: Screen | null }): void {
  useEffect(() => {
    const follow = (): void => screen.current?.recolour();
    const unfollow = usePreferences.subscribe(follow);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', follow);
    return () => {
      unfollow();
      dark.removeEventListener('change', follow);
    };
  }, [screen]);
}

/** The windows of a box, at a terminal in the page. What is typed goes to that box alone. */
export function BoxTerminal({ name }: { readonly name: string }) {
  const [turn, setTurn] = useState(0);
  return <Attached key={turn} name={name} onAgain={() => setTurn(turn + 1)} />;
}

function Attached({ name, onAgain }: { readonly name: string; readonly onAgain: () => void }) {
  const { boxes: words } = useText();
  const after = useRef<HTMLDivElement>(null);
  const { place, state, untyped } = useTerminal(name, () => after.current?.focus());
  const isOver = state.kind === 'ended' || state.kind === 'refused';
  const says =
    state.kind === 'ended'
      ? words.ends[state.why]
      : state.kind === 'refused'
        ? `${displayPlain(state.refusal.message)} ${displayPlain(state.refusal.hint)}`
        : words.terminal[state.kind];
  return (
    <div className="box-terminal">
      <div ref={place} className="box-screen mono" data-state={state.kind} />
      <div ref={after} tabIndex={-1} className="box-terminal-foot">
        <p role="status" className={isOver ? undefined : 'quiet'}>
          {says}
        </p>
        {isOver && (
          <Button small onClick={onAgain}>
            {words.attachAgain}
          </Button>
        )}
        {untyped !== null && (
          <p className="field-problem" role="alert">
            {displayPlain(untyped.message)} {displayPlain(untyped.hint)}
          </p>
        )}
        {state.kind === 'attached' && <p className="faint small">{words.terminalKeys}</p>}
      </div>
    </div>
  );
}
