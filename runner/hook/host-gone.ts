const everyMs = 250;

/**
 * Calls back once the process that started the hook is gone. A host that ends, or kills only the
 * shell around its hook, leaves the hook running; without this, a person would go on being asked
 * for nobody. That the host has merely closed the pipe cannot be seen before something is written.
 */
export function onceHostIsGone(listener: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    listener();
  }, everyMs);
  timer.unref();
}
