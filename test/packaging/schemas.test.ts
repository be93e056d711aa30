import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { checkSettingsFile, effectiveSettings } from '../../app/host/settings.ts';
import { schemaNames } from '../../runner/cli/commands/schema.ts';
import { editConfig } from '../../runner/cli/config-edit.ts';
import { parseConfig } from '../../shared/engine/config-schema.ts';
import { editPolicy } from '../../shared/engine/policy/edit.ts';
import { parsePolicy, serialisePolicy } from '../../shared/engine/policy/parse.ts';
import { parseToolPolicy } from '../../shared/home/index.ts';
import { cli, temporaryHome } from '../runner/cli/support.ts';

interface Shape {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly [keyword: string]: unknown;
}

const docs = fileURLToPath(new URL('../../docs', import.meta.url));
/** As they were built. */
const built = fileURLToPath(new URL('../../dist/schemas', import.meta.url));
const schemas: Readonly<Record<string, Shape>> = Object.fromEntries(
  readdirSync(built).map((file) => [
    file.replace('.schema.json', ''),
    JSON.parse(readFileSync(`${built}/${file}`, 'utf8')) as Shape,
  ]),
);
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
const place = temporaryHome();
afterAll(() => place.remove());

/** Every field of a schema by its path, with its words. */
function fieldsOf(shape: unknown, path = ''): readonly (readonly [string, string | undefined])[] {
  if (Array.isArray(shape)) return shape.flatMap((one) => fieldsOf(one, path));
  if (typeof shape !== 'object' || shape === null) return [];
  const { properties = {}, anyOf, items, prefixItems, additionalProperties } = shape as Shape;
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      [`${path}${name}`, field.description] as const,
      ...fieldsOf(field, `${path}${name}.`),
    ]),
    ...[anyOf, items, prefixItems].flatMap((inner) => fieldsOf(inner, path)),
    ...fieldsOf(additionalProperties, `${path}*.`),
  ];
}

const editor = 'file:///usr/share/interlock/config.schema.json';

describe.each(Object.keys(schemas))('the schema of %s', (name) => {
  const schema = schemas[name] ?? {};

  it('is a schema of the draft that it names', () => {
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
    expect(ajv.compile(schema)({ planted: 1 })).toBe(false);
  });

  it('says what each field is; where one lacks, docs or scripts/packaging/schema-words.mjs have to say it', () => {
    const fields = fieldsOf(schema);
    expect(fields.length).toBeGreaterThan(4);
    const bare = fields.filter(([, words = '']) => words === '').map(([path]) => path);
    expect(bare).toEqual([]);
  });
});

it('the settings have the words of docs/configuration.md', () => {
  const words = Object.fromEntries(fieldsOf(schemas['config']));
  expect(words['limits.burst']).toBe('How many of them may come at once.');
  expect(words['agents.*.sandbox.memory']).toBe(words['sandbox.memory']);
  // Nor those of a field elsewhere that has the same name.
  expect(words['boxes.templates.*.agents']).not.toBe(words['agents']);
  expect(words['sandbox.network']).toBe(
    "restricted: what egress allows, through a proxy. full: this machine's own.",
  );
  const page = readFileSync(`${docs}/configuration.md`, 'utf8');
  const keys = [...page.matchAll(/^\| `(\w+\.\w+)` /gmu)].map(([, key = '']) => key);
  expect(keys.length).toBeGreaterThan(80);
  expect(keys.filter((key) => words[key] === undefined)).toEqual([]);
});

it.each(['config', 'policy', 'tool', 'ui'])(
  'an editor takes "$schema" in the file of %s, and refuses a slip',
  (name) => {
    const head = { $schema: editor, version: 1 };
    const rest =
      name === 'tool'
        ? { tool: 'x', folder: 'private', credentials: [], allow: [{ args: ['a'] }], confirm: [] }
        : {};
    const fits = ajv.compile(schemas[name] ?? {});
    expect(fits({ ...head, ...rest }), ajv.errorsText(fits.errors)).toBe(true);
    expect(fits({ ...head, ...rest, $shcema: editor })).toBe(false);
    expect(fits({ ...head, ...rest, $schema: 1 })).toBe(false);
  },
);

describe('"$schema"', () => {
  it('is taken in each file that people write, and changes nothing that holds', async () => {
    const head = `"$schema": ${JSON.stringify(editor)}, "version": 1`;
    const withIt = parseConfig(`{ ${head}, "limits": { "burst": 3 } }`);
    expect(withIt).toEqual(parseConfig('{ "version": 1, "limits": { "burst": 3 } }'));
    expect(withIt.ok).toBe(true);
    expect(parsePolicy(`{ ${head} }`).ok).toBe(true);
    const tool = 'version: 1\ntool: x\nfolder: private\ncredentials: []\nconfirm: []\n';
    const rules = 'allow: [{ args: [a] }]\n';
    const read = await parseToolPolicy(`$schema: ${editor}\n${tool}${rules}`, 'x');
    expect(read.ok).toBe(true);
    const settings = checkSettingsFile({ $schema: editor, version: 1, theme: 'dark' });
    if (!settings.ok) throw new Error(settings.error);
    expect(effectiveSettings(settings.value, null)).not.toHaveProperty('$schema');
  });

  it.each(['defaults', 'agents.a', 'agents.a.allowlist.0', 'socket'])(
    'is refused further in, as any unknown field is: in %s',
    (path) => {
      const document: Record<string, unknown> = { version: 1 };
      const rule = { id: 'r', pattern: '/bin/ls' };
      Object.assign(document, { defaults: {}, socket: {}, agents: { a: { allowlist: [rule] } } });
      const at = path
        .split('.')
        .reduce<unknown>((here, key) => (here as Record<string, unknown>)[key], document);
      Object.assign(at as object, { $schema: editor });
      expect(parsePolicy(JSON.stringify(document)).ok).toBe(false);
    },
  );

  it('stays where Interlock writes the policy anew', () => {
    const parsed = parsePolicy(
      JSON.stringify({ $schema: editor, version: 1, agents: { a: { allowlist: ['/bin/ls'] } } }),
    );
    if (!parsed.ok) throw new Error(parsed.problem.message);
    const rule = { id: 'new', pattern: '/bin/cat' };
    for (const change of [
      { change: 'add', agent: 'b', rules: [rule] },
      { change: 'modes', agent: 'a', modes: { ask: 'always' } },
      { change: 'patch', patch: { defaults: { ask: 'always' } } },
    ] as const) {
      const edited = editPolicy(parsed.document, [change], { check: () => [] });
      if (!edited.ok) throw new Error(edited.problem.message);
      expect(serialisePolicy(edited.document)).toMatch(/^\{\n {2}"\$schema": "file:/u);
    }
  });

  it('stays where a command writes config.json anew', async () => {
    await cli(place, 'init', '--host', 'gateway');
    const path = `${place.home}/config.json`;
    const owner = process.geteuid?.() ?? -1;
    editConfig({ configPath: path, owner }, (raw) => ({ $schema: editor, ...raw }));
    editConfig({ configPath: path, owner }, (raw) => ({ ...raw, limits: { burst: 7 } }));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      $schema: editor,
      limits: { burst: 7 },
    });
  });
});

describe('interlock schema', () => {
  it('knows every schema that is built', () => {
    expect([...schemaNames].toSorted()).toEqual(Object.keys(schemas).toSorted());
  });

  it('prints the one that is built, says where it lies, and knows no other', async () => {
    const { exitCode, out } = await cli(place, 'schema', 'policy');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toEqual(schemas['policy']);
    const where = await cli(place, 'schema', 'policy', '--path');
    expect(readFileSync(where.out.trim(), 'utf8')).toBe(out);
    expect((await cli(place, 'schema')).out.split('\n')).toContain('config    config.json');
    expect((await cli(place, 'schema', '../config')).exitCode).toBe(125);
  });
});
