import { setFlagsFromString } from 'node:v8';

/**
 * Settings of the engine for a service that waits most of its life. Imported before everything else.
 * The optimising compiler for wasm would take 30 MB to make a parser faster that already takes
 * microseconds; the heap would stay as large as the start made it.
 */
for (const flag of ['--optimize-for-size', '--liftoff-only']) setFlagsFromString(flag);
