/** Answers of `waitUntil`: what was waited for, or what came first. */
export type Waited<T> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ended'; readonly end: T }
  | { readonly kind: 'too-long' };

export interface WaitOptions<T> {
  readonly isReady: () => Promise<boolean>;
  readonly ended: Promise<T>;
  readonly sleep: (ms: number) => Promise<void>;
  /** How many looks at most, and the pause between them in milliseconds. */
  readonly looks: number;
  readonly pauseMs: number;
}

/** Looks again and again until a child is ready, has ended, or has taken too long. */
export async function waitUntil<T>(options: WaitOptions<T>): Promise<Waited<T>> {
  const over: Promise<Waited<T>> = options.ended.then((end) => ({ kind: 'ended', end }));
  for (let look = 0; look < options.looks; look += 1) {
    if (await options.isReady()) return { kind: 'ready' };
    const first = await Promise.race([over, options.sleep(options.pauseMs)]);
    if (first !== undefined) return first;
  }
  return { kind: 'too-long' };
}
