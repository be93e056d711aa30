import { Suspense, lazy, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { BoxInfo } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { Empty } from '../primitives/Empty.tsx';
import { callOrShow, useApp, useHostNow } from '../state/app.ts';
import { useLook } from '../state/asking.ts';
import { useText } from '../state/preferences.ts';
import { fullTime, relativeTime } from '../text/format.ts';
import { BoxOutput } from './BoxOutput.tsx';
import './boxes.css';

/** A terminal is large, and most looks at the boxes need none. */
const BoxTerminal = lazy(async () => {
  const { BoxTerminal: loaded } = await import('./BoxTerminal.tsx');
  return { default: loaded };
});

const attachedKey = 'interlock.attached';

/** The box at whose terminal this tab is; kept for when the page is loaded again. */
function useAttached() {
  const [attached, setAttached] = useState(() => sessionStorage.getItem(attachedKey));
  const attach = (name: string | null): void => {
    if (name === null) sessionStorage.removeItem(attachedKey);
    else sessionStorage.setItem(attachedKey, name);
    setAttached(name);
  };
  return { attached, attach };
}

type Ending = { readonly how: 'stop' | 'lock'; readonly box: BoxInfo };

/** Named boxes: what goes on in each, which of them waits for an answer, and how one is ended. */
export function BoxesView() {
  const { boxes: words } = useText();
  const { known: answer, problem, look } = useLook('boxes');
  const known = answer?.boxes ?? null;
  const [ending, setEnding] = useState<Ending | null>(null);
  const [starting, setStarting] = useState<string | null>(null);
  const [notes, setNotes] = useState<readonly string[]>([]);
  const { attached, attach } = useAttached();
  const boxes =
    attached === null ? known : (known?.filter(({ name }) => name === attached) ?? null);
  const start = async (name: string): Promise<void> => {
    setStarting(name);
    await callOrShow('startBox', { name });
    setStarting(null);
    await look();
  };
  const end = async ({ how, box }: Ending): Promise<void> => {
    setEnding(null);
    const { name } = box;
    const done = await callOrShow(how === 'stop' ? 'stopBox' : 'lockBox', { name });
    setNotes(done?.notes ?? []);
    await look();
  };
  return (
    <section className="boxes" data-attached={attached !== null} aria-labelledby="boxes-title">
      <header className="view-head">
        <h2 id="boxes-title">{attached === null ? words.title : words.terminalTitle(attached)}</h2>
        {attached !== null && (
          <Button small onClick={() => attach(null)}>
            {words.backToBoxes}
          </Button>
        )}
      </header>
      {problem !== null && (
        <p className="field-problem" role="alert">
          {displayPlain(problem)}
        </p>
      )}
      {notes.map((note) => (
        <p key={note} className="quiet" role="status">
          {displayPlain(note)}
        </p>
      ))}
      {attached !== null && (
        <Suspense>
          <BoxTerminal key={attached} name={attached} />
        </Suspense>
      )}
      {boxes !== null && boxes.length > 0 && (
        <ul className="boxes-list">
          {boxes.map((box) => (
            <Box
              key={box.name}
              box={box}
              starting={starting}
              isAttached={box.name === attached}
              onStart={() => void start(box.name)}
              onAttach={() => attach(box.name)}
              onEnd={(how) => setEnding({ how, box })}
            />
          ))}
        </ul>
      )}
      {attached === null && known?.length === 0 && (
        <Empty icon="boxes" title={words.none} text={words.noneText}>
          <code className="mono">interlock box up NAME</code>
        </Empty>
      )}
      {ending !== null && (
        <EndDialog ending={ending} onClose={() => setEnding(null)} onEnd={() => void end(ending)} />
      )}
    </section>
  );
}

function Box({
  box,
  starting,
  isAttached,
  onStart,
  onAttach,
  onEnd,
}: {
  readonly box: BoxInfo;
  /** The name of the box that is being started. */
  readonly starting: string | null;
  /** Its terminal is shown above. */
  readonly isAttached: boolean;
  readonly onStart: () => void;
  readonly onAttach: () => void;
  readonly onEnd: (how: Ending['how']) => void;
}) {
  const { boxes: words } = useText();
  const show = useApp((model) => model.show);
  const asks = useApp(
    (model) => model.state?.queue.filter(({ ask }) => ask.agent === box.agent).length ?? 0,
  );
  const [isShown, setShown] = useState(false);
  const { name, state, locked, kept } = box;
  return (
    <li className="box">
      <BoxWords box={box} />
      {asks > 0 && (
        <Button small onClick={() => show('asks')}>
          {words.asks(asks)}
        </Button>
      )}
      {state === 'running' && !locked && !isAttached && (
        <Button small icon="terminal" aria-label={`${words.attach} ${name}`} onClick={onAttach}>
          {words.attach}
        </Button>
      )}
      {kept.length > 0 && !isAttached && (
        <Button
          small
          aria-label={`${words.output} ${name}`}
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {words.output}
        </Button>
      )}
      {state === 'stopped' && !locked && (
        <Button
          small
          aria-label={`${starting === name ? words.starting : words.start} ${name}`}
          disabled={starting !== null}
          onClick={onStart}
        >
          {starting === name ? words.starting : words.start}
        </Button>
      )}
      {state === 'running' && (
        <Button small aria-label={`${words.stop} ${name}`} onClick={() => onEnd('stop')}>
          {words.stop}
        </Button>
      )}
      {!locked && (
        <Button small aria-label={`${words.lock} ${name}`} onClick={() => onEnd('lock')}>
          {words.lock}
        </Button>
      )}
      {isShown && <BoxOutput box={box} />}
    </li>
  );
}

/** What is known of a box, as words. */
function BoxWords({ box }: { readonly box: BoxInfo }) {
  const { boxes: words, code } = useText();
  const now = useHostNow();
  const { name, state, locked, startedAt, windows, attached } = box;
  const how = locked ? 'locked' : state;
  return (
    <div className="box-words">
      <strong>{name}</strong> <span className={`box-state box-${how}`}>{words[how]}</span>
      {startedAt !== null && (
        <span className="quiet" title={fullTime(startedAt, code)}>
          {' · '}
          {words.started(relativeTime(startedAt, now, code))}
        </span>
      )}
      <p className="mono small">{displayPlain(box.workspace)}</p>
      <p className="quiet">
        {words.template(displayPlain(box.template))} · {words.networks[box.network]}
      </p>
      {windows !== null && windows.length > 0 && (
        <p className="quiet">
          {words.windows}:{' '}
          {windows
            .map((one) => displayPlain(one.name) + (one.hasEnded ? ` (${words.ended})` : ''))
            .join(', ')}
          {attached > 0 && ` · ${words.attached(attached)}`}
        </p>
      )}
      <NextStep box={box} />
    </div>
  );
}

/** What a person types at a terminal for what the page does not do. */
function NextStep({ box: { name, state, locked } }: { readonly box: BoxInfo }) {
  const { boxes: words } = useText();
  const [text, command] = locked
    ? [words.lockedText, `interlock unlock --box ${name}`]
    : state === 'unfinished'
      ? [words.unfinishedText, 'interlock box gc']
      : state === 'running'
        ? [words.toAttach, `interlock box attach ${name}`]
        : [words.toStart, `interlock box start ${name}`];
  return (
    <p className="faint small">
      {text} <code className="mono">{command}</code>
    </p>
  );
}

function EndDialog({
  ending: { how, box },
  onClose,
  onEnd,
}: {
  readonly ending: Ending;
  readonly onClose: () => void;
  readonly onEnd: () => void;
}) {
  const { boxes: words } = useText();
  return (
    <Dialog
      title={how === 'stop' ? words.stopTitle(box.name) : words.lockTitle(box.name)}
      onClose={onClose}
    >
      <p>{how === 'stop' ? words.stopText : words.lockText}</p>
      <div className="dialog-actions">
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button look="danger" onClick={onEnd}>
          {how === 'stop' ? words.stopNow : words.lockNow}
        </Button>
      </div>
    </Dialog>
  );
}
