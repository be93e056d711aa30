import { s } from '../base/index.ts';
import type { StaticFields } from '../base/index.ts';

const path = s.string({ pattern: '^(?:/|~/)[^\\u0000]*$', maxLength: 4_096 });

const between = (minimum: number, maximum: number) => s.integer({ minimum, maximum });

/** Bytes, as people write them: `512M`, `2G`. */
export const size = s.string({ pattern: '^[1-9][0-9]{0,11}[KMG]?$' });

export const networks = ['none', 'restricted', 'full'] as const;

/** What may build a sandbox at least, the better first: a box of its own, or whatever there is. */
const leastRungs = ['box', 'bubblewrap'] as const;
/** What builds a sandbox. On macOS: a virtual machine, or a profile in the person's own file system. */
export type Rung = (typeof leastRungs)[number] | 'container' | 'seatbelt';

/** What commands get on the host `sandbox`; `docs/sandbox.md` says what each field is for. */
export const sandboxFields = {
  /** `full` is this machine's own network, and all that listens on it; `restricted` what `egress` allows. */
  network: s.oneOf(networks),
  /** The least that may build it: our own launcher, or bubblewrap where that is kept from us. */
  least: s.oneOf(leastRungs),
  /** On macOS: the image of the virtual machine that each command gets; null for a Seatbelt profile. */
  image: s.nullable(s.string({ pattern: '^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$' })),
  /** Most memory of a command's processes. */
  memory: size,
  /** Most processes at once. */
  processes: between(1, 1_000_000),
  /** Most processor time of one process, in seconds; null for no limit. */
  cpuSeconds: s.nullable(between(1, 86_400)),
  /** Size of /tmp, and of what is written into the home folder there. */
  temporary: size,
  /** Further paths that can be read there, and read and written. */
  readOnly: s.array(path, { maxItems: 100 }),
  readWrite: s.array(path, { maxItems: 100 }),
  readOnlyWorkspace: s.boolean(),
  /** Variables set for every command there. */
  environment: s.record(s.string({ maxLength: 32_768 }), {
    maxProperties: 200,
    names: s.string({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' }),
  }),
};
export type SandboxConfig = StaticFields<typeof sandboxFields>;
