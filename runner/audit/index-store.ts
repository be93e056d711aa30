import {
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';

/** Further names share the last number: their rows are found by everything but that name. */
export const mostNames = 65_535;

/** Names by numbers, in the order in which they came. */
export class Names {
  #numbers = new Map<string, number>();

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (number >= mostNames) return mostNames;
    this.#numbers.set(name, number);
    return number;
  }

  find(name: string): number | null {
    return this.#numbers.get(name) ?? null;
  }

  all(): readonly string[] {
    return [...this.#numbers.keys()];
  }

  clear(): void {
    this.#numbers = new Map();
  }
}

/** A file of ours that is read and written in the middle; where it cannot be, the same in memory. */
export class Store {
  #fd: number | null = null;
  #memory = new Uint8Array(0);
  #size = 0;

  constructor(path: string) {
    try {
      const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
      this.#fd = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
      this.#size = statSync(path).size;
    } catch {
      this.#fd = null;
    }
  }

  get isOnDisk(): boolean {
    return this.#fd !== null;
  }

  size(): number {
    return this.#size;
  }

  read(from: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    if (this.#fd !== null) readSync(this.#fd, bytes, 0, length, from);
    else bytes.set(this.#memory.subarray(from, Math.min(from + length, this.#size)));
    return bytes;
  }

  write(from: number, bytes: Uint8Array): void {
    this.#size = Math.max(this.#size, from + bytes.length);
    if (this.#fd !== null) {
      try {
        for (let at = 0; at < bytes.length;)
          at += writeSync(this.#fd, bytes, at, bytes.length - at, from + at);
        return;
      } catch {
        this.#toMemory(from);
      }
    }
    if (this.#memory.length < this.#size) {
      const grown = new Uint8Array(Math.max(this.#size, this.#memory.length * 2));
      grown.set(this.#memory);
      this.#memory = grown;
    }
    this.#memory.set(bytes, from);
  }

  clear(): void {
    this.#size = 0;
    if (this.#fd === null) return;
    try {
      ftruncateSync(this.#fd, 0);
    } catch {
      this.close();
    }
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  /** The disk is full: what it has taken goes on from here. */
  #toMemory(upTo: number): void {
    const kept = this.read(0, upTo);
    this.close();
    this.#memory = new Uint8Array(this.#size);
    this.#memory.set(kept);
  }
}
