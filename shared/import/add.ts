import { addRules } from '../policy/edit.ts';
import type { Edited, ExampleCheck } from '../policy/edit.ts';
import type { PolicyDocument } from '../policy/types.ts';
import type { PreviewRule } from './types.ts';

export interface AddImportedOptions {
  readonly rules: readonly PreviewRule[];
  /** A fresh id for each rule. */
  readonly newId: () => string;
  readonly check?: ExampleCheck;
}

/**
 * The document with imported rules added, duplicates left out. Modes stay as they are: an import
 * never makes `security` or `ask` looser.
 */
export function addImported(document: PolicyDocument, options: AddImportedOptions): Edited {
  const { newId, check } = options;
  const wanted = options.rules.filter(({ duplicate }) => !duplicate);
  let edited: Edited = { ok: true, document };
  for (const agent of new Set(wanted.map((one) => one.agent))) {
    if (!edited.ok) return edited;
    const rules = wanted
      .filter((one) => one.agent === agent)
      .map(({ rule }) => ({ ...rule, id: newId(), source: 'import' }));
    edited = addRules(edited.document, { agent, rules, ...(check !== undefined && { check }) });
  }
  return edited;
}
