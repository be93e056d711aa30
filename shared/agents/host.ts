import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { HostAdapter, ImportFormat, ParsedImport } from '../wire/index.ts';
import type { Fields, HookFormat, HookPlace, HookPlan, ToolGroup } from './hook-entries.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * What the hook program needs of a host: enough to say no in its words. Loads no schema, because
 * agents wait for the hook before every use of a tool.
 */
export interface HostHook {
  /** What people call it. */
  readonly title: string;
  readonly answer: HostAdapter['answer'];
  /** A refusal ends with status 2, because the host heeds that more than words. */
  readonly refusesByStatus?: true;
  /**
   * It takes the death of the shell around its hook for no answer, whatever the hook itself says,
   * and runs the tool.
   */
  readonly runsWithoutShell?: true;
}

/** Where a host reads its hooks. */
interface HostPlaces {
  /** The folder of what holds for the person everywhere; absolute. */
  readonly folder: (env: Env) => string;
  /** In that folder: the file that has the hook, or that is our plugin. */
  readonly personal: string;
  /** The same in the folder of a project. */
  readonly project: string;
  /** All in a project from which the host takes hooks or plugins. */
  readonly inProject: readonly string[];
  /**
   * Files and folders of a project, and absolute ones of the person, with hooks that may change a call
   * after ours has answered. Absent: none, or plugins, which are watched as such.
   */
  readonly overriding?: (env: Env) => readonly string[];
  /** Other files that can turn the hooks off; absolute. */
  readonly besides: (env: Env) => readonly string[];
}

/** Settings of a machine that no project and no person overrides. */
export interface ManagedSettings {
  /** The file that `interlock install --managed` writes. */
  readonly write: string;
  /** All that the host reads of them. */
  readonly read: readonly string[];
  /** What keeps hooks of projects from coming after ours, and the hooks from being turned off. */
  readonly lock: Readonly<Record<string, unknown>>;
  /** Where the lock stands, if not beside the hook. */
  readonly lockIn?: string;
  /** How it is written where it is not JSON. */
  readonly text?: ManagedText;
}

/** A file of managed settings in a form of its own. Pure. */
export interface ManagedText {
  /** With our hooks and the lock; null where that cannot be done safely. */
  readonly withHooks: (text: string | null, plan: HookPlan) => string | null;
  readonly withoutHooks: (text: string) => string;
  /** What it says, in the shape of the JSON form; null where it cannot be read. */
  readonly read: (text: string) => Fields | null;
  /** What takes the hooks away or lets others come after them, as sentences. */
  readonly objections: (settings: Fields) => readonly string[];
}

/** What is to be said about hooks that stand where they should. */
export interface HookReview {
  /** Why the host does not start them all the same, as sentences. */
  readonly broken: readonly string[];
  /** What to know besides. */
  readonly remarks: readonly string[];
}

/** What a settings file of any scope says against our hook, also one that holds none; as sentences. */
type Switches = (settings: Readonly<Record<string, unknown>>) => readonly string[];

/** How a host is told to ask. */
export type HookKeeping =
  /** By entries in a JSON file. */
  | {
      readonly kind: 'settings';
      readonly format: HookFormat;
      /** Null where the host has none. */
      readonly switches: Switches | null;
      readonly review: (
        found: readonly HookPlace[],
        where: { readonly env: Env; readonly path: string },
      ) => HookReview;
    }
  /** By a plugin, which `plugin.ts` fills in and reads. */
  | {
      readonly kind: 'plugin';
      readonly tools: readonly ToolGroup[];
      /** As it is shipped, below the folder of the package. */
      readonly asset: string;
      /** Below the person's folder: where the host looks for plugins, ours first. */
      readonly folders: readonly string[];
      /** Null where no settings can name, or take out, a plugin. */
      readonly switches: Switches | null;
    };

/** How rule files of a host are told from others and read. */
export interface RuleFiles {
  readonly format: ImportFormat;
  /** What a person calls such a file. */
  readonly file: string;
  /** The folder of a project in which such a file holds for that project only. */
  readonly folder: string;
  /** `value` is what the text is as JSON, undefined where it is none. */
  readonly isTheirs: (text: string, value: unknown) => boolean;
  readonly read: (text: string, value: unknown) => ParsedImport;
}

/** What a person reads about a host when they put it behind the gate. */
interface HostWords {
  /** What they still have to know or do after an installation. */
  readonly advice: readonly string[];
  /** What their own settings of the host take away from the gate. */
  readonly objections: (env: Env, decideOnly?: boolean) => readonly string[];
  /** What the gate cannot hold there: a page of the documentation. */
  readonly guide: string;
}

/** All that Interlock knows of one agent host, besides its `HostHook`. */
/** A key in the environment. */
export interface ModelKey {
  /** The program that takes it. */
  readonly program: string;
  readonly variable: string;
  /** The name under which it is kept, unless another is given. */
  readonly secret: string;
}

/** What an agent needs where it lives in a named box. */
interface InBox {
  /** Below the home folder: what it reads in every project, beside the project's own file. */
  readonly told: string;
  /** Where its model and its sign-in are, as `egress.allow` names hosts. */
  readonly hosts?: readonly string[];
}

export interface HostRecord {
  readonly adapter: HostAdapter;
  readonly keeping: HookKeeping;
  readonly places: HostPlaces;
  /** Null where it has none that could be used. */
  readonly managed: ManagedSettings | null;
  /** Why it starts no hooks at all, by settings that hold none; for a look at one session. */
  readonly off: (env: Env) => readonly string[];
  /** Null where it has no rules that could be taken over. */
  readonly rules: RuleFiles | null;
  /** What starts it as an agent of the Agent Client Protocol, where that was tried. */
  readonly acp: string | null;
  /** Where it looks for the key of its model; absent where that is not one variable. */
  readonly modelKey?: ModelKey;
  /** What it needs in a named box, where that is known. */
  readonly inBox?: InBox;
  readonly words: HostWords;
}

/** A folder of the person's home, or the one that a variable names by its absolute path. */
export function homeFolder(env: Env, folder: string, variable?: string): string {
  const wanted = variable === undefined ? undefined : env[variable];
  return wanted !== undefined && isAbsolute(wanted)
    ? wanted
    : join(env['HOME'] || homedir(), folder);
}

/** A file of the machine's settings, which lie in different folders on macOS and Linux. */
export function machineFile(mac: string, linux: string, name: string): string {
  return `${process.platform === 'darwin' ? mac : linux}/${name}`;
}

export const nothing = (): readonly string[] => [];

export const nothingToReview = (): HookReview => ({ broken: [], remarks: [] });

/** Plug-ins that settings name in lists: each may change a call after its approval, or leave ours out. */
export function pluginsNamed(
  settings: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): readonly string[] {
  return fields.flatMap((field) => {
    const list = settings[field];
    if (!Array.isArray(list)) return [];
    return list.map((one) => `It names a plug-in ("${field}"): ${JSON.stringify(one)}`);
  });
}
