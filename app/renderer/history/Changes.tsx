import { useEffect, useRef, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { Refusal } from '../../../shared/base/index.ts';
import type {
  ChangeBody,
  ChangesSummary,
  ShownChange,
  UndoBody,
} from '../../../shared/wire/index.ts';
import type { HistoryEntry } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import { Diff } from '../primitives/Diff.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { call, useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import './changes.css';

const mostEntries = 500;

interface KnownChanges {
  /** Of which question this is the answer. */
  readonly asked: string;
  readonly changes: ReadonlyMap<string, ChangesSummary>;
}

/** What commands of the history changed, by their ids; fetched again when `turn` changes. */
export function useChanges(turn: number): {
  readonly changes: ReadonlyMap<string, ChangesSummary>;
  readonly again: () => void;
} {
  const link = useApp((model) => model.link);
  const running = useApp((model) => model.state !== null && model.state.runner !== null);
  const [known, setKnown] = useState<KnownChanges>({ asked: '', changes: new Map() });
  const [count, setCount] = useState(0);
  const asked = `${String(turn)} ${count}`;
  useEffect(() => {
    if (link !== 'open' || !running) return undefined;
    let isCurrent = true;
    const look = async (): Promise<void> => {
      const answer = await call('changes', { limit: mostEntries });
      // Without them the history is what it was: nothing is to be taken back from here.
      if (isCurrent && answer.ok)
        setKnown({
          asked,
          changes: new Map(answer.result.entries.map((entry) => [entry.id, entry])),
        });
    };
    void look();
    return () => {
      isCurrent = false;
    };
  }, [link, running, asked]);
  return { changes: known.changes, again: () => setCount((old) => old + 1) };
}

interface FileProps {
  readonly change: ShownChange;
  readonly result: UndoBody['files'][number] | undefined;
  readonly busy: boolean;
  readonly onTakeBack: () => void;
}

function ChangedFile({ change, result, busy, onTakeBack }: FileProps) {
  const { changes: words } = useText();
  const path = displayPlain(change.path);
  return (
    <li className="changes-file">
      <div className="changes-head">
        <span className="small faint changes-what">{words.what[change.what]}</span>
        <span className="mono changes-path">{path}</span>
        {change.note !== null && <span className="small faint">{change.note}</span>}
        {result !== undefined ? (
          <span className="small changes-result">{words.results[result.result]}</span>
        ) : change.isKept ? (
          <Button
            small
            icon="undo"
            aria-label={`${words.takeBack}: ${path}`}
            aria-disabled={busy}
            onClick={() => {
              if (!busy) onTakeBack();
            }}
          >
            {words.takeBack}
          </Button>
        ) : (
          <span className="small faint">{words.notKept}</span>
        )}
      </div>
      {change.with.length > 0 && <p className="small faint">{words.shared}</p>}
      {change.diff !== null && change.kind === 'file' && <Diff text={change.diff} label={path} />}
    </li>
  );
}

/** What else is to be known of a command, line by line; nothing where there are none. */
function Sentences(props: {
  readonly title: string;
  readonly lines: readonly string[];
  readonly isMono?: boolean;
}) {
  const { title, lines, isMono = false } = props;
  if (lines.length === 0) return null;
  return (
    <div className="note note-caution">
      <Icon name="caution" />
      <div>
        <p className="small">{title}</p>
        <ul className={`small ${isMono ? 'mono' : ''}`}>
          {lines.map((line) => (
            <li key={line}>{displayPlain(line)}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

interface ChangesDialogProps {
  readonly of: HistoryEntry;
  /** The newest entry that took it back, or null. */
  readonly takenBackBy: string | null;
  readonly onClose: () => void;
}

/** What is kept of a command, and taking it back. */
function useKept(id: string, takenBackBy: string | null) {
  /** Null: nothing of it is kept. */
  const [entry, setEntry] = useState<ChangeBody | null | undefined>(undefined);
  const [problem, setProblem] = useState<Refusal | null>(null);
  const [busy, setBusy] = useState(false);
  const [results, setResults] = useState<UndoBody['files']>([]);
  const [undone, setUndone] = useState(takenBackBy);
  const shown = useRef(id);
  useEffect(() => {
    const look = async (): Promise<void> => {
      const answer = await call('changes', { id: shown.current });
      if (!answer.ok) setProblem(answer.refusal);
      else {
        const [found] = answer.result.entries;
        setEntry(found !== undefined && 'shown' in found ? found : null);
      }
    };
    void look();
  }, []);
  const take = async (wanted: string, files?: readonly string[]): Promise<void> => {
    setBusy(true);
    const answer = await call('takeBack', { id: wanted, ...(files !== undefined && { files }) });
    setBusy(false);
    if (!answer.ok) {
      setProblem(answer.refusal);
      return;
    }
    setProblem(null);
    if (wanted === id) {
      setResults((old) => [...old, ...answer.result.files]);
      if (answer.result.id !== null) setUndone(answer.result.id);
    } else {
      setResults([]);
      setUndone(null);
    }
  };
  return { entry, problem, busy, results, undone, take };
}

/** What one command changed, file by file, each to be taken back, or all of them. */
export function ChangesDialog({ of, takenBackBy, onClose }: ChangesDialogProps) {
  const { changes: words } = useText();
  const { id } = of;
  const { entry, problem, busy, results, undone, take } = useKept(id, takenBackBy);
  const kept = entry ?? null;
  const left = results.filter(({ why }) => why !== null);
  return (
    <Dialog title={words.title} onClose={onClose}>
      {entry === undefined && problem === null && <p className="faint">{words.looking}</p>}
      <p className="mono changes-command">{displayPlain(of.command)}</p>
      <Sentences title={words.plantedText} lines={of.planted ?? []} isMono />
      <Sentences title={words.notesText} lines={of.notes ?? []} />
      {entry === null && <p className="small">{words.nothingKept}</p>}
      {kept !== null && (
        <>
          {kept.isCutOff && <p className="small">{words.cutOff}</p>}
          <ul className="changes-files">
            {kept.shown.map((change) => (
              <ChangedFile
                key={change.path}
                change={change}
                result={results.findLast(({ path }) => path === change.path)}
                busy={busy}
                onTakeBack={() => void take(id, [change.path])}
              />
            ))}
          </ul>
          {kept.unnamed > 0 && <p className="small faint">{words.more(kept.unnamed)}</p>}
        </>
      )}
      <div role="status">
        {left.length > 0 && <p className="small">{words.left(left.length)}</p>}
        {problem !== null && (
          <p className="small">
            {problem.message} {problem.hint}
          </p>
        )}
      </div>
      <div className="dialog-actions">
        {undone !== null && (
          <Button aria-disabled={busy} onClick={() => void take(undone)}>
            {words.bringAgain}
          </Button>
        )}
        {kept !== null && (
          <Button
            look="accent"
            icon="undo"
            aria-disabled={busy}
            onClick={() => {
              if (!busy) void take(id);
            }}
          >
            {words.takeAllBack}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
