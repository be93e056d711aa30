import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type * as compiler from '../../shared/base/compile.ts';
import { beforeAll, describe, expect, it, vi } from 'vitest';

/** Every schema that the product compiles, by its file; filled while the files are loaded. */
const found = vi.hoisted(() => ({
  schemas: [] as { readonly file: string; readonly schema: JsonSchema }[],
}));

type Compiler = typeof compiler;

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema | false;
  readonly prefixItems?: readonly JsonSchema[];
}

vi.mock('../../shared/base/compile.ts', async (original) => {
  const real = await original<Compiler>();
  const keep = (schema: unknown): void => {
    // Who compiles it: the first file of the product on the stack that is not the compiler's own.
    const frames = (new Error().stack ?? '').split(root).slice(1);
    const [file = 'nobody'] = frames
      .flatMap((frame) => /^(?:shared|runner|app)\/[\w./-]+\.ts/.exec(frame)?.[0] ?? [])
      .filter((path) => !path.startsWith('shared/base/') && path !== 'runner/ingress/mcp/tool.ts');
    found.schemas.push({ file, schema: schema as JsonSchema });
  };
  return {
    ...real,
    compile: (schema: Parameters<typeof real.compile>[0]) => {
      keep(schema);
      return real.compile(schema);
    },
    compileAll: (schemas: Parameters<typeof real.compileAll>[0]) => {
      for (const schema of Object.values(schemas)) keep(schema);
      return real.compileAll(schemas);
    },
  };
});

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The files that compile a schema, as their text says. */
const { compiling: files } = (await import(`${root}scripts/packaging/every-schema.mjs`)) as {
  readonly compiling: readonly string[];
};

/** Makes checks of the schemas of others. */
const passesOn = new Set(['runner/ingress/mcp/tool.ts']);

/** Strangers speak here, who add fields in any release; all others are held to the fields we know. */
const open = new Set([
  'shared/operations/github-token.ts',
  'runner/ingress/acp/schemas.ts',
  'runner/ingress/asking.ts',
  'runner/ingress/codex-app-server/question.ts',
  'runner/ingress/mcp/server.ts',
  'runner/ingress/mcp/exec-tool.ts',
  'runner/ingress/openclaw/frames.ts',
  'shared/agents/call.ts',
  'shared/agents/claude/adapter.ts',
  'shared/agents/codex/adapter.ts',
  'shared/agents/copilot/adapter.ts',
  'shared/agents/cursor/host.ts',
  'shared/agents/droid/adapter.ts',
  'shared/agents/gemini/adapter.ts',
  'shared/agents/kilo/host.ts',
  'shared/agents/opencode/adapter.ts',
  'shared/agents/pi/host.ts',
  'shared/engine/programs/recipes.ts',
  // A lockout finds who keeps a box whatever else its record says.
  'shared/home/box-keepers.ts',
  'shared/wire/frames-v1.ts',
]);

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
const candidates = [7.5, 'x\u0000', true, null, {}, []];

const errorsFor = (schema: JsonSchema, value: unknown) => {
  const validate = ajv.compile(schema);
  return validate(value) ? [] : (validate.errors ?? []);
};

/** The object schemas of one schema: itself, the forms of a choice, and what is inside. */
function objectsIn(schema: JsonSchema): readonly JsonSchema[] {
  const { properties = {}, anyOf = [], items, prefixItems = [], additionalProperties } = schema;
  const inside = [
    ...Object.values(properties),
    ...anyOf,
    ...prefixItems,
    ...(typeof items === 'object' ? [items] : []),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
  return [...(schema.properties === undefined ? [] : [schema]), ...inside.flatMap(objectsIn)];
}

beforeAll(async () => {
  for (const file of files) await import(/* @vite-ignore */ root + file);
  // Their schemas are made for the outcome that the caller keeps.
  const journal = await import('../../runner/nodes/journal.ts');
  const { s } = await import('../../shared/base/index.ts');
  journal.nodeRecordCheck(s.string());
  journal.gatewayRecordCheck(s.string());
}, 60_000);

describe('every schema of the product', () => {
  it('is found where the text of a file says that one is compiled', () => {
    const seen = new Set(found.schemas.map(({ file }) => file));
    expect(found.schemas.length).toBeGreaterThan(100);
    expect([...seen].toSorted()).toEqual(files.filter((file) => !passesOn.has(file)));
  });

  it('refuses a value of another type', () => {
    for (const { file, schema } of found.schemas)
      expect(
        candidates.some((value) => errorsFor(schema, value).length > 0),
        file,
      ).toBe(true);
  });

  it('refuses a wrong type in every field that it names', () => {
    let fields = 0;
    for (const { file, schema } of found.schemas)
      for (const each of objectsIn(schema))
        for (const [name, field] of Object.entries(each.properties ?? {})) {
          if (Object.keys(field).length === 0) continue;
          const refused = candidates.some((value) =>
            errorsFor(each, { [name]: value }).some(({ instancePath }) =>
              instancePath.startsWith(`/${name}`),
            ),
          );
          expect(refused, `${file}: ${name}`).toBe(true);
          fields += 1;
        }
    expect(fields).toBeGreaterThan(500);
  });

  it('refuses an unknown field, but where strangers speak', () => {
    const opened = new Set<string>();
    for (const { file, schema } of found.schemas)
      for (const each of objectsIn(schema)) {
        const refused = errorsFor(each, { planted: 1 }).some(
          ({ keyword, params }) =>
            keyword === 'additionalProperties' && params['additionalProperty'] === 'planted',
        );
        if (refused) continue;
        const isStrangers = Object.keys(each.properties ?? {}).length === 0;
        if (!isStrangers) opened.add(file);
      }
    expect([...opened].toSorted()).toEqual([...open].toSorted());
  });
});
