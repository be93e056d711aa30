/** Where something has happened: folders, by their whole path. `all`: it may have been anywhere. */
export interface Told {
  readonly folders: ReadonlySet<string> | 'all';
  /**
   * A file may have been changed by a name that came and went, which the folders do not tell of. Who
   * asks what a command did takes it for `all`.
   */
  readonly mayHide: boolean;
}

/** More are as good as all. */
const mostTold = 10_000;

interface Gathering {
  folders: Set<string> | 'all';
  mayHide: boolean;
}

/** Who asks a tree what has happened, each with what came since it last asked. */
export class Listeners {
  readonly #gatherings: Gathering[] = [];

  /**
   * One more, to whom everything is new. What it answers gives what came since and begins anew: with
   * nothing where the kernel tells of every folder from now on, else with everything.
   */
  add(): (isWatched: boolean) => Told {
    const mine: Gathering = { folders: 'all', mayHide: true };
    this.#gatherings.push(mine);
    return (isWatched) => {
      const told = { ...mine };
      mine.folders = isWatched ? new Set() : 'all';
      mine.mayHide = false;
      return told;
    };
  }

  tell(folders: Iterable<string>): void {
    for (const one of this.#gatherings) {
      if (one.folders === 'all') continue;
      for (const path of folders) one.folders.add(path);
      if (one.folders.size > mostTold) one.folders = 'all';
    }
  }

  tellAll(): void {
    for (const one of this.#gatherings) one.folders = 'all';
  }

  /** Something may have been hidden from the folders. */
  tellHidden(): void {
    for (const one of this.#gatherings) one.mayHide = true;
  }
}
