/** The part of a tree-sitter node that the analysis reads. */
export interface GrammarNode {
  readonly type: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly hasError: boolean;
  readonly namedChildren: readonly GrammarNode[];
  readonly parent: GrammarNode | null;
  descendantsOfType(types: string | string[]): readonly GrammarNode[];
}

/** A parse tree; `delete` must be called once it is no longer needed. */
export interface GrammarTree {
  readonly rootNode: GrammarNode;
  delete(): void;
}

/** A parser of shell text with the bash grammar; offsets are UTF-16. */
export interface GrammarParser {
  parse(text: string): GrammarTree | null;
}
