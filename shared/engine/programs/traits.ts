import type { Argument, Reading } from './types.ts';

/**
 * A wrapper whose whole effect on the inner command is understood: it is looked through when it is
 * called with these options, which it reads as POSIX getopt does. This holds for the record's first
 * name. The reason why that is safe is one of the record's own sentences.
 */
export interface PassesOn {
  /** Short options without and with an argument. */
  readonly flags?: string;
  readonly valued?: string;
  /** Long options; the value tells whether an argument follows. */
  readonly long?: Readonly<Record<string, 'none' | 'value'>>;
  /** Operands in front of the inner command. */
  readonly operands?: number;
  /** `NAME=value` in front of the inner command is set for it; a lone dash is an option. */
  readonly assigns?: true;
}

/** A call of a shell that holds its text. */
export interface ShellCall {
  readonly text: string;
  /** A `set` command that does what the options did, or nothing. */
  readonly settings: string;
  readonly needsBash: boolean;
}

/** A program that reads commands as a shell does. */
export interface ShellTraits {
  /** What it understands beyond POSIX. */
  readonly dialect: 'posix' | 'bash';
  /** A text that we have written anew means the same to it. Others have start files and ways of their own. */
  readonly portable?: true;
  /** Its text can be read in its place: the call, its first word among them, or null for any other. */
  readonly read?: (words: readonly Argument[]) => ShellCall | null;
}

/** An interpreter of which some code is understood. */
export interface CodeTraits {
  /** Whether all of the code in the words was read, so that the effects are all that it does. */
  readonly isRead: (reading: Reading) => boolean;
  /** The words as they would be with code that comes as input among them; null where it is not code. */
  readonly withInput: (args: readonly Argument[], text: string) => readonly Argument[] | null;
  /** Whether an entry of the folder where it is started would be loaded in the place of a module of its own. */
  readonly shadows: (
    name: string,
    kind: 'file' | 'folder' | 'link',
    isPackage: (name: string) => boolean,
  ) => boolean;
}

/** What the kernel lets a program do beside what its arguments say. */
export interface HeldTo {
  /** Programs that it starts by itself. */
  readonly starts?: readonly string[];
  /** Folders of the system with such programs. */
  readonly folders?: readonly string[];
  /** Files and folders below home that it reads. */
  readonly settings?: readonly string[];
  /** Its settings are Git's, which name further files and programs. */
  readonly gitSettings?: true;
  /** It puts files into /tmp. */
  readonly temporary?: true;
  /** Whether the words are among those of which this holds; absent: all are. */
  readonly where?: (argv: readonly string[]) => boolean;
}
