// @ts-check

/** Ends the process with a sentence on a Node that is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Interlock needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
