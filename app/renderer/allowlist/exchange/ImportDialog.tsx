import { useState } from 'react';
import { displayPlain } from '../../../../shared/display/display.ts';
import { importFormats } from '../../../../shared/import/types.ts';
import { Button } from '../../primitives/Button.tsx';
import { Dialog } from '../../primitives/Dialog.tsx';
import { Field } from '../../primitives/Field.tsx';
import { Segments } from '../../primitives/Segments.tsx';
import { useText } from '../../state/preferences.ts';
import { addRules, useDraft } from '../draft.ts';
import { PreviewList } from './PreviewList.tsx';
import { longestText, usePreview } from './usePreview.ts';
import type { ImportSource } from './usePreview.ts';

interface ImportDialogProps {
  readonly agent: string;
  readonly onClose: () => void;
}

/** Reads a rule file of another program. What it brings goes to the draft, which is saved later. */
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
  const agents = [...new Set(['', '*', agent])];

  return (
    <Dialog title={exchange.importTitle} onClose={onClose}>
      <p className="quiet">{exchange.importText}</p>
      <Segments
        legend={exchange.from}
        showLegend
        options={(['any', ...importFormats] as const).map((value) => ({
          value,
          label: exchange.formats[value],
        }))}
        value={source.format}
        onChange={(format) => change({ format })}
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
          aria-invalid={problem !== null}
          onChange={({ target }) => change({ text: target.value })}
        />
        <label className="button button-small exchange-file">
          <input
            type="file"
            className="visually-hidden"
            accept=".json,.rules,.toml,.txt,text/plain,application/json"
            onChange={({ target }) => {
              void target.files?.[0]?.text().then((text) => change({ text }));
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
            onChange={({ target }) => change({ agent: target.value })}
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
          onChange={(folder) => change({ folder: folder.trim() })}
        />
      </div>
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
