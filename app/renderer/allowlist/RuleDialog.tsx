import { useId, useState } from 'react';
import { ruleEffects } from '../../../shared/engine/index.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { Field } from '../primitives/Field.tsx';
import { Segments } from '../primitives/Segments.tsx';
import { readHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { PastEffect } from './PastEffect.tsx';
import { editPart, useDraft } from './draft.ts';
import type { Editing } from './draft.ts';
import { formKinds, formOf, problemsOf, ruleOf } from './rule-form.ts';
import type { FormField, RuleForm } from './rule-form.ts';

interface RuleDialogProps {
  readonly agent: string;
  readonly editing: Editing;
}

/** Adds or edits one rule. What is wrong is said while it is typed; applying changes the draft. */
export function RuleDialog({ agent, editing }: RuleDialogProps) {
  const { rules, ruleForm } = useText();
  const form = useId();
  const [fields, setFields] = useState(() => formOf(editing.rule));
  const [touched, setTouched] = useState<ReadonlySet<FormField>>(
    () => new Set<FormField>(editing.id === null ? [] : ['program', 'words', 'argPattern']),
  );
  const problems = problemsOf(fields, readHostNow());
  const close = (): void => useDraft.setState({ editing: null });
  const change = (part: Partial<RuleForm>, field?: FormField): void => {
    setFields({ ...fields, ...part });
    if (field !== undefined) setTouched(new Set(touched).add(field));
  };
  const problem = (field: FormField): string | undefined => {
    const found = problems[field];
    return found === undefined || !touched.has(field) ? undefined : ruleForm.problems[found];
  };
  const apply = (): void => {
    setTouched(
      new Set<FormField>(['program', 'words', 'argPattern', 'directory', 'env', 'expires']),
    );
    if (Object.keys(problems).length > 0) return;
    const id = editing.id ?? crypto.randomUUID();
    const made = editing.id === null ? { createdAt: readHostNow(), source: 'editor' } : {};
    editPart({ kind: 'rule', agent, id }, { ...made, ...ruleOf(fields, id, editing.rule) });
    close();
  };

  const sound = Object.keys(problems).length === 0;
  const { id: _id, ...tried } = ruleOf(fields, '', editing.rule);

  return (
    <Dialog title={editing.id === null ? ruleForm.addTitle : ruleForm.editTitle} onClose={close}>
      <form
        id={form}
        className="rule-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <Segments
          legend={ruleForm.effect}
          showLegend
          options={ruleEffects
            .toReversed()
            .map((value) => ({ value, label: rules.effects[value] }))}
          value={fields.effect}
          onChange={(effect) => change({ effect })}
        />
        <Segments
          legend={ruleForm.kind}
          showLegend
          options={formKinds.map((value) => ({ value, label: ruleForm.kinds[value] }))}
          value={fields.kind}
          onChange={(kind) => change({ kind })}
        />
        <Field
          label={ruleForm.targets[fields.kind]}
          help={ruleForm.targetHelp[fields.kind]}
          problem={problem('program')}
          value={fields.program}
          mono
          onChange={(program) => change({ program }, 'program')}
        />
        {fields.kind !== 'exec' && (
          <Field
            label={ruleForm.tool}
            help={ruleForm.toolHelp}
            value={fields.tool}
            mono
            onChange={(tool) => change({ tool })}
          />
        )}
        {fields.kind === 'exec' && (
          <Segments
            legend={ruleForm.args}
            showLegend
            options={[
              { value: 'words' as const, label: ruleForm.argsWords },
              { value: 'pattern' as const, label: ruleForm.argsPattern },
              { value: 'any' as const, label: ruleForm.argsAny },
            ]}
            value={fields.argsMode}
            onChange={(argsMode) => change({ argsMode })}
          />
        )}
        {fields.kind === 'exec' && fields.argsMode === 'words' && (
          <Field
            label={ruleForm.argsWords}
            help={ruleForm.argsHelp}
            problem={problem('words')}
            value={fields.words}
            mono
            onChange={(words) => change({ words }, 'words')}
          />
        )}
        {fields.kind === 'exec' && fields.argsMode === 'pattern' && (
          <Field
            label={ruleForm.argsPattern}
            help={ruleForm.patternHelp}
            problem={problem('argPattern')}
            value={fields.argPattern}
            mono
            onChange={(argPattern) => change({ argPattern }, 'argPattern')}
          />
        )}
        <div className="rule-form-pair">
          <Field
            label={ruleForm.directory}
            help={ruleForm.directoryHelp}
            problem={problem('directory')}
            value={fields.directory}
            mono
            onChange={(directory) => change({ directory }, 'directory')}
          />
          <Field
            label={ruleForm.expires}
            help={ruleForm.expiresHelp}
            problem={problem('expires')}
            type="datetime-local"
            value={fields.expires}
            onChange={(expires) => change({ expires }, 'expires')}
          />
        </div>
        {fields.kind === 'exec' && (
          <Field
            label={ruleForm.env}
            help={ruleForm.envHelp}
            problem={problem('env')}
            value={fields.env}
            mono
            lines
            onChange={(env) => change({ env }, 'env')}
          />
        )}
        <div className="rule-form-pair">
          <Field
            label={ruleForm.matches}
            value={fields.matches}
            mono
            lines
            onChange={(matches) => change({ matches })}
          />
          <Field
            label={ruleForm.noMatches}
            value={fields.noMatches}
            mono
            lines
            onChange={(noMatches) => change({ noMatches })}
          />
        </div>
        <Field label={ruleForm.note} value={fields.note} onChange={(note) => change({ note })} />
        <PastEffect agent={agent} rules={sound ? [tried] : null} />
      </form>
      <div className="dialog-actions">
        <Button onClick={close}>{ruleForm.cancel}</Button>
        <Button look="accent" type="submit" form={form}>
          {ruleForm.apply}
        </Button>
      </div>
    </Dialog>
  );
}
