import type { Rule } from '../engine/index.ts';

/** Whose rule files can be read. */
export const importFormats = ['openclaw', 'claude', 'codex'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** A rule as it would be added. It never allows more than its source did. */
export interface ImportedRule {
  readonly agent: string;
  readonly rule: Omit<Rule, 'id'>;
  /** The words of the source: `Bash(git status:*)`. Untrusted text. */
  readonly from: string;
  /** What differs from the source, as a sentence; null when it says the same. */
  readonly note: string | null;
}

/** Something of the source that is not carried over, and why. */
export interface SkippedEntry {
  readonly from: string;
  /** A sentence. */
  readonly why: string;
  /** It denied or asked, so that without it more is allowed than before. */
  readonly holdsBack: boolean;
}

/** What a rule file holds, in the words of this program. */
export interface Imported {
  readonly format: ImportFormat;
  readonly rules: readonly ImportedRule[];
  readonly skipped: readonly SkippedEntry[];
}

export type ParsedImport =
  | { readonly ok: true; readonly imported: Imported }
  /** One sentence: the text is no such file. */
  | { readonly ok: false; readonly error: string };

/** An imported rule beside what is there already. */
export interface PreviewRule extends ImportedRule {
  /** What it matches, in words. */
  readonly sentence: string;
  /** The policy has a rule that says the same for this agent or for all. */
  readonly duplicate: boolean;
}

export interface ImportPreview {
  readonly format: ImportFormat;
  readonly rules: readonly PreviewRule[];
  readonly skipped: readonly SkippedEntry[];
}
