import { useId, useState } from 'react';
import { presenceModes, ruleEffects } from '../../../shared/engine/index.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { Field } from '../primitives/Field.tsx';
import type { FieldProps } from '../primitives/Field.tsx';
import { Segments } from '../primitives/Segments.tsx';
import { readHostNow } from '../state/app.ts';
import { usePolicy } from '../state/policy.ts';
import { useText } from '../state/preferences.ts';
import { PastEffect } from './PastEffect.tsx';
import { editPart, useDraft } from './draft.ts';
import type { Editing } from './draft.ts';
import { formKinds, formOf, problemsOf, ruleOf, saysPresence } from './rule-form.ts';
import type { FormField, FormProblem, RuleForm } from './rule-form.ts';

interface RuleDialogProps {
  readonly agent: string;
  readonly editing: Editing;
}

type TextField = FormField | 'tool' | 'matches' | 'noMatches' | 'note';

/** What a text field of the form shows and does. */
type Bind = (name: TextField) => Pick<FieldProps, 'value' | 'problem' | 'onChange'>;

interface PartProps {
  readonly fields: RuleForm;
  readonly change: (part: Partial<RuleForm>) => void;
  readonly bind: Bind;
}

/** Adds or edits one rule. What is wrong is said while it is typed; applying changes the draft. */
export function RuleDialog({ agent, editing }: RuleDialogProps) {
  const { ruleForm } = useText();
  const form = useId();
  // The history of another machine is not known here.
  const isHere = usePolicy(({ machine }) => machine === null);
  const [fields, setFields] = useState(() => formOf(editing.rule));
  const [touched, setTouched] = useState<ReadonlySet<TextField>>(
    () => new Set<TextField>(editing.id === null ? [] : ['program', 'words', 'argPattern']),
  );
  const problems: { readonly [F in TextField]?: FormProblem } = problemsOf(fields, readHostNow());
  const close = (): void => useDraft.setState({ editing: null });
  const change = (part: Partial<RuleForm>): void => setFields({ ...fields, ...part });
  const bind: Bind = (name) => {
    const found = touched.has(name) ? problems[name] : undefined;
    return {
      value: fields[name],
      problem: found === undefined ? undefined : ruleForm.problems[found],
      onChange: (value) => {
        change({ [name]: value });
        setTouched(new Set(touched).add(name));
      },
    };
  };
  const apply = (): void => {
    setTouched(
      new Set<TextField>(['program', 'words', 'argPattern', 'directory', 'env', 'expires']),
    );
    if (Object.keys(problems).length > 0) return;
    const id = editing.id ?? crypto.randomUUID();
    const made = editing.id === null ? { createdAt: readHostNow(), source: 'editor' } : {};
    editPart({ kind: 'rule', agent, id }, { ...made, ...ruleOf(fields, id, editing.rule) });
    close();
  };

  const sound = Object.keys(problems).length === 0;
  const { id: _id, ...tried } = ruleOf(fields, '', editing.rule);
  const part = { fields, change, bind };

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
        <Target {...part} />
        {fields.kind === 'exec' && <Args {...part} />}
        <Limits {...part} />
        {fields.kind !== 'egress' && (
          <div className="rule-form-pair">
            <Field label={ruleForm.matches} mono lines {...bind('matches')} />
            <Field label={ruleForm.noMatches} mono lines {...bind('noMatches')} />
          </div>
        )}
        <Field label={ruleForm.note} {...bind('note')} />
        {isHere && fields.kind !== 'egress' && (
          <PastEffect agent={agent} rules={sound ? [tried] : null} />
        )}
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

/** What the rule says, and about what. */
function Target({ fields, change, bind }: PartProps) {
  const { rules, ruleForm } = useText();
  return (
    <>
      <Segments
        legend={ruleForm.effect}
        showLegend
        options={ruleEffects.toReversed().map((value) => ({ value, label: rules.effects[value] }))}
        value={fields.effect}
        onChange={(effect) => change({ effect })}
      />
      {saysPresence(fields) && (
        <Segments
          legend={ruleForm.presence}
          showLegend
          options={(['click', ...presenceModes.toReversed(), 'two'] as const).map((value) => ({
            value,
            label: ruleForm.presences[value],
          }))}
          value={fields.presence}
          onChange={(presence) => change({ presence })}
        />
      )}
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
        mono
        {...bind('program')}
      />
      {fields.kind !== 'exec' && fields.kind !== 'egress' && (
        <Field label={ruleForm.tool} help={ruleForm.toolHelp} mono {...bind('tool')} />
      )}
    </>
  );
}

/** Which arguments of a program it is about. */
function Args({ fields, change, bind }: PartProps) {
  const { ruleForm } = useText();
  return (
    <>
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
      {fields.argsMode === 'words' && (
        <Field label={ruleForm.argsWords} help={ruleForm.argsHelp} mono {...bind('words')} />
      )}
      {fields.argsMode === 'pattern' && (
        <Field
          label={ruleForm.argsPattern}
          help={ruleForm.patternHelp}
          mono
          {...bind('argPattern')}
        />
      )}
    </>
  );
}

/** Where it holds, how long, and with which variables. */
function Limits({ fields, bind }: PartProps) {
  const { ruleForm } = useText();
  return (
    <>
      <div className="rule-form-pair">
        {fields.kind !== 'egress' && (
          <Field
            label={ruleForm.directory}
            help={ruleForm.directoryHelp}
            mono
            {...bind('directory')}
          />
        )}
        <Field
          label={ruleForm.expires}
          help={ruleForm.expiresHelp}
          type="datetime-local"
          {...bind('expires')}
        />
      </div>
      {fields.kind === 'exec' && (
        <Field label={ruleForm.env} help={ruleForm.envHelp} mono lines {...bind('env')} />
      )}
    </>
  );
}
