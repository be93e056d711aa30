/** Something that was opened: a watch, a connection, a session, a service. */
export interface Disposable {
  /** Lets go of all that it holds; a second call does nothing. */
  dispose(): unknown;
}

/** What was opened and has to be closed again, in the opposite order. */
export interface Disposables {
  /**
   * Notes what was just opened, or how to close it. `what` names it where closing fails. Throws once
   * `dispose` was called: whoever still opens something by then has to close it alone.
   */
  add(what: string, opened: Disposable | (() => unknown)): void;
  /**
   * Closes everything, the last first, each step when the one before has settled. A step that fails
   * keeps no other from its turn: afterwards this rejects with an `AggregateError` of all failures.
   * Further calls return the same promise.
   */
  dispose(): Promise<void>;
}

/** An empty stack of steps. */
export function createDisposables(): Disposables {
  const steps: { readonly what: string; readonly close: () => unknown }[] = [];
  let disposing: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    const failures: Error[] = [];
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      try {
        await step.close();
      } catch (cause) {
        failures.push(new Error(`${step.what} could not be closed`, { cause }));
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  };
  return {
    add: (what, opened) => {
      if (disposing !== null)
        throw new Error(`${what} was opened while everything is being closed`);
      const close = typeof opened === 'function' ? opened : () => opened.dispose();
      steps.push({ what, close });
    },
    dispose: async () => (disposing ??= closeAll()),
  };
}
