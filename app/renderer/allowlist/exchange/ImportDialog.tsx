import { useState } from 'react';
import { displayPlain } from '../../../../shared/base/index.ts';
import { importFormats } from '../../../../shared/wire/index.ts';
import type { ImportPreview } from '../../../../shared/wire/index.ts';
import { Button } from '../../primitives/Button.tsx';
import { EffectTag } from '../../primitives/EffectTag.tsx';
import { Dialog } from '../../primitives/Dialog.tsx';
import { Field } from '../../primitives/Field.tsx';
import { Icon } from '../../primitives/Icon.tsx';
import { Segments } from '../../primitives/Segments.tsx';
import { useText } from '../../state/preferences.ts';
import { addRules, useDraft } from '../draft.ts';
import { longestText, usePreview } from './exchange.ts';
import type { ImportSource } from './exchange.ts';

const page = 100;

interface PreviewListProps {
  readonly preview: ImportPreview;
  /** The rules that the person unticked, by index. */
  readonly refused: ReadonlySet<number>;
  readonly onRefuse: (index: number, refused: boolean) => void;
}

/** What importing a file would add, what exists already, and what is left out and why. */
function PreviewList({ preview, refused, onRefuse }: PreviewListProps) {
  const { exchange, rules: words } = useText();
  const [shown, setShown] = useState(page);
  const { rules, skipped } = preview;
  const fresh = rules.filter(({ duplicate }) => !duplicate).length;
  const known = rules.length - fresh;
  const behind = skipped.toSorted((a, b) => Number(b.holdsBack) - Number(a.holdsBack));
  return (
    <div className="preview">
      <h3>
        {fresh === 0 ? exchange.noRules : exchange.rules(fresh)}
        {known > 0 && <span className="faint"> · {exchange.duplicates(known)}</span>}
      </h3>
      <ul className="preview-list">
        {rules.slice(0, shown).map(({ agent, rule, from, note, sentence, duplicate }, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="preview-rule" data-known={duplicate}>
            <input
              type="checkbox"
              aria-label={`${exchange.take}: ${displayPlain(from)}`}
              checked={!duplicate && !refused.has(index)}
              disabled={duplicate}
              onChange={({ target }) => onRefuse(index, !target.checked)}
            />
            <div>
              <p>
                <EffectTag effect={rule.effect ?? 'allow'}>
                  {words.effects[rule.effect ?? 'allow']}
                </EffectTag>{' '}
                {displayPlain(sentence)}
              </p>
              <p className="small faint">
                <span className="mono">{displayPlain(from)}</span>
                {' · '}
                {agent === '*' ? words.everyone : displayPlain(agent)}
                {duplicate && <> · {exchange.duplicate}</>}
              </p>
              {note !== null && <p className="small preview-note">{displayPlain(note)}</p>}
            </div>
          </li>
        ))}
      </ul>
      {rules.length > shown && (
        <Button small look="plain" icon="down" onClick={() => setShown(shown + page)}>
          {exchange.more(Math.min(page, rules.length - shown))}
        </Button>
      )}
      {behind.length > 0 && (
        <>
          <h3>{exchange.skipped(behind.length)}</h3>
          <ul className="preview-list">
            {behind.slice(0, shown).map(({ from, why, holdsBack }, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index} className="preview-skipped">
                <Icon name={holdsBack ? 'danger' : 'caution'} size={14} />
                <div>
                  <p className="mono small">{displayPlain(from)}</p>
                  <p className="small quiet">{displayPlain(why)}</p>
                  {holdsBack && <p className="small preview-holds">{exchange.holdsBack}</p>}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface SourceFieldsProps {
  readonly agent: string;
  readonly source: ImportSource;
  readonly problem: boolean;
  readonly onChange: (part: Partial<ImportSource>) => void;
}

/** What is imported, and for whom. */
function SourceFields({ agent, source, problem, onChange }: SourceFieldsProps) {
  const { exchange } = useText();
  const agents = [...new Set(['', '*', agent])];
  return (
    <>
      <p className="quiet">{exchange.importText}</p>
      <Segments
        legend={exchange.from}
        showLegend
        options={(['any', ...importFormats] as const).map((value) => ({
          value,
          label: exchange.formats[value],
        }))}
        value={source.format}
        onChange={(format) => onChange({ format })}
      />
      <div className="field">
        <label className="field-label" htmlFor="import-text">
          {exchange.text}
        </label>
        <textarea
          id="import-text"
          className="input mono exchange-text"
          rows={5}
          spellCheck={false}
          placeholder={exchange.placeholder}
          value={source.text}
          aria-invalid={problem}
          onChange={({ target }) => onChange({ text: target.value })}
        />
        <label className="button button-small exchange-file">
          <input
            type="file"
            className="visually-hidden"
            accept=".json,.rules,.toml,.txt,text/plain,application/json"
            onChange={({ target }) => {
              void target.files?.[0]?.text().then((text) => onChange({ text }));
            }}
          />
          {exchange.file}
        </label>
      </div>
      <div className="rule-form-pair">
        <label className="field">
          <span className="field-label">{exchange.agent}</span>
          <select
            className="input"
            value={source.agent}
            onChange={({ target }) => onChange({ agent: target.value })}
          >
            {agents.map((each) => (
              <option key={each} value={each}>
                {each === '' ? exchange.asFile : displayPlain(each)}
              </option>
            ))}
          </select>
        </label>
        <Field
          label={exchange.folder}
          help={exchange.folderHelp}
          problem={/^($|\/)/.test(source.folder) ? undefined : exchange.folderProblem}
          value={source.folder}
          mono
          onChange={(folder) => onChange({ folder: folder.trim() })}
        />
      </div>
    </>
  );
}

interface ImportDialogProps {
  readonly agent: string;
  readonly onClose: () => void;
}

/** Imports a rule file of another program into the draft, which is saved later. */
export function ImportDialog({ agent, onClose }: ImportDialogProps) {
  const { exchange } = useText();
  const [source, setSource] = useState<ImportSource>({
    text: '',
    format: 'any',
    agent: agent === '*' ? '' : agent,
    folder: '',
  });
  const [refused, setRefused] = useState<ReadonlySet<number>>(new Set());
  const { preview, problem, reading } = usePreview(source);
  const change = (part: Partial<ImportSource>): void => {
    setSource({ ...source, ...part });
    setRefused(new Set());
  };
  const wanted = (preview?.rules ?? []).filter(
    ({ duplicate }, index) => !duplicate && !refused.has(index),
  );

  return (
    <Dialog title={exchange.importTitle} onClose={onClose}>
      <SourceFields agent={agent} source={source} problem={problem !== null} onChange={change} />
      <div role="status">
        {source.text.length > longestText && <p className="field-problem">{exchange.tooLong}</p>}
        {problem !== null && <p className="field-problem">{displayPlain(problem)}</p>}
        {preview !== null && (
          <p className="visually-hidden">
            {exchange.rules(preview.rules.filter(({ duplicate }) => !duplicate).length)}
          </p>
        )}
        {reading && preview === null && <p className="faint">{exchange.reading}</p>}
      </div>
      {preview !== null && (
        <PreviewList
          preview={preview}
          refused={refused}
          onRefuse={(index, no) => {
            const next = new Set(refused);
            if (no) next.add(index);
            else next.delete(index);
            setRefused(next);
          }}
        />
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>{exchange.cancel}</Button>
        <Button
          look="solid"
          disabled={wanted.length === 0 || reading}
          onClick={() => {
            addRules(wanted.map(({ agent: owner, rule }) => ({ agent: owner, rule })));
            const [first] = wanted;
            if (first !== undefined) useDraft.setState({ agent: first.agent });
            onClose();
          }}
        >
          {exchange.add(wanted.length)}
        </Button>
      </div>
    </Dialog>
  );
}
