import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkAhead } from '../../shared/base/checks-ahead.ts';
import type { CheckMaker } from '../../shared/base/checks-ahead.ts';
import { checkOptions, partOfAjv } from '../../shared/base/compile.ts';
import type { Schema } from '../../shared/base/schema.ts';

const root = resolve(import.meta.dirname, '../..');
const dist = join(root, 'dist');
const chunks = join(dist, 'chunks');

interface Ahead {
  readonly checkAhead: (schema: string) => CheckMaker | undefined;
}

const require = createRequire(import.meta.url);
const { checkAhead: built } = require(join(chunks, 'ahead.cjs')) as Ahead;
const { schemas } = (await import(join(dist, 'test/packaging/every-schema.js'))) as {
  readonly schemas: readonly Schema<unknown>[];
};
const { checksOf } = (await import(join(dist, 'test/packaging/checks.js'))) as {
  readonly checksOf: (of: readonly Schema<unknown>[]) => ReadonlyMap<string, string>;
};

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: boolean | Shape;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape | false;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

const strangers = [7.5, -1, 0, 1e300, '', 'x\u0000', '😀'.repeat(300), '/a', true, null, {}, []];

/** Values for a place of a schema: such as fit, such as nearly fit, and others. */
function valuesFor(shape: Shape | false): readonly unknown[] {
  if (shape === false) return strangers;
  const { properties = {}, additionalProperties, anyOf = [], items } = shape;
  const words = [...(shape.enum ?? []), ...('const' in shape ? [shape.const] : [])];
  const bounds = [shape.minimum, shape.maximum].flatMap((bound) =>
    bound === undefined ? [] : [bound, bound - 1, bound + 1],
  );
  const fields = Object.entries(properties).flatMap(([name, field]) =>
    valuesFor(field).map((value) => ({ version: 1, [name]: value })),
  );
  const named =
    typeof additionalProperties === 'object'
      ? valuesFor(additionalProperties).map((value) => ({ name: value }))
      : [];
  const listed = items === undefined ? [] : valuesFor(items).map((value) => [value]);
  const forms = anyOf.flatMap(valuesFor);
  return [
    ...words,
    ...bounds,
    ...forms,
    ...fields,
    ...named,
    ...listed,
    ...strangers,
    { 'x-note': 1 },
    { planted: 1 },
  ];
}

function outcome(validate: ValidateFunction, value: unknown) {
  const isValid = validate(value);
  return { isValid, errors: isValid ? [] : (validate.errors as readonly ErrorObject[]) };
}

/** How often each of these functions was called while a program ran, by what V8 counted. */
function calls(folder: string, name: string): number {
  const counts = readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      readonly result: readonly {
        readonly url: string;
        readonly functions: readonly {
          readonly functionName: string;
          readonly ranges: readonly { readonly count: number }[];
        }[];
      }[];
    };
    return result
      .filter(({ url }) => url.includes('dist/chunks/'))
      .flatMap(({ functions }) => functions)
      .filter(({ functionName }) => functionName === name)
      .map(({ ranges }) => ranges[0]?.count ?? 0);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-ahead-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const counted = join(folder, 'counted');
  const plain = { PATH: process.env['PATH'], HOME: folder, INTERLOCK_HOME: join(folder, 'home') };
  const cli = (args: readonly string[], env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, [join(dist, 'runner/cli/main.js'), ...args], {
      env,
      encoding: 'utf8',
    });
  expect(cli(['init'], plain).status).toBe(0);
  return { counted, env: { ...plain, NODE_V8_COVERAGE: counted }, cli };
}

describe('the checks that are compiled ahead', () => {
  it('are those of all schemas, made the same each time', () => {
    const texts = checksOf(schemas);
    expect(texts.size).toBeGreaterThan(200);
    const files = readdirSync(join(chunks, 'checks'));
    expect(files.toSorted()).toEqual([...texts.keys()].map((name) => `${name}.cjs`).toSorted());
    for (const [name, text] of texts)
      expect(readFileSync(join(chunks, 'checks', `${name}.cjs`), 'utf8') === text).toBe(true);
  });

  it('find the same errors, in the same words, as those that are compiled at run time', () => {
    for (const schema of new Map(schemas.map((each) => [JSON.stringify(each), each])).values()) {
      const ahead = built(JSON.stringify(schema))?.(partOfAjv);
      const atRunTime = new Ajv2020(checkOptions).compile(schema);
      if (ahead === undefined) throw new Error('A schema has no check.');
      const seen = new Set<boolean>();
      for (const value of valuesFor(schema as Shape)) {
        const found = outcome(ahead, value);
        expect(isDeepStrictEqual(found, outcome(atRunTime, value))).toBe(true);
        seen.add(found.isValid);
      }
      expect(seen.has(false)).toBe(true);
    }
  });

  it('take nothing but what they are known to need', () => {
    expect(() => partOfAjv('ajv/dist/runtime/equal')).toThrow('asks for ajv/dist/runtime/equal');
  });

  it('are not there in the sources, which compile at the first use', () => {
    for (const schema of schemas) expect(checkAhead(JSON.stringify(schema))).toBe(undefined);
  });

  it('are never those of another schema, and a broken one is no missing one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'interlock-ahead-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(join(chunks, 'ahead.cjs'), join(folder, 'ahead.cjs'));
    cpSync(join(chunks, 'checks'), join(folder, 'checks'), { recursive: true });
    const [schema] = schemas;
    const text = JSON.stringify(schema);
    const { checkAhead: found } = require(join(folder, 'ahead.cjs')) as Ahead;
    expect(found(text)).toBeTypeOf('function');
    expect(found(`${text} `)).toBe(undefined);
    for (const name of readdirSync(join(folder, 'checks')))
      writeFileSync(join(folder, 'checks', name), 'module.exports = (');
    expect(() => found(JSON.stringify(schemas.at(-1)))).toThrow(SyntaxError);
  });
});

describe('with the programs as they are built', () => {
  it('a command that reads the home compiles no schema', () => {
    const { counted, env, cli } = place();
    expect(cli(['check', 'true'], env).stdout).toContain('true');
    expect(calls(counted, 'validatorOf')).toBeGreaterThan(1);
    expect(calls(counted, 'compileSchema')).toBe(0);
  });

  it('a wrong field is refused without a compiler, in the same words', () => {
    const { counted, env, cli } = place();
    for (const [config, sentence] of [
      [{ version: 1, $schema: '😀'.repeat(2_049) }, 'has more than 2048 characters'],
      [{ version: 1, exce: {} }, 'has an unknown field "exce"'],
      [{ version: 1, exec: { timeoutMs: 1 } }, 'exec.timeoutMs must be at least 1000, not 1'],
    ] as const) {
      writeFileSync(join(env.INTERLOCK_HOME, 'config.json'), JSON.stringify(config));
      const { status, stderr } = cli(['check', 'true'], env);
      expect(status).not.toBe(0);
      expect(stderr).toContain(sentence);
    }
    expect(calls(counted, 'compileSchema')).toBe(0);
  });

  it('a start of the runner compiles no schema, neither the first nor the next', async () => {
    const { counted, env } = place();
    for (let start = 1; start <= 2; start += 1) {
      const runner = spawn(process.execPath, [join(dist, 'runner/main.js')], { env });
      onTestFinished(() => void runner.kill('SIGKILL'));
      const ended = once(runner, 'exit');
      for await (const line of createInterface(runner.stderr)) {
        if (!line.includes('Listening on')) continue;
        runner.kill('SIGTERM');
        break;
      }
      runner.stderr.resume();
      await ended;
    }
    expect(readdirSync(counted).length).toBeGreaterThan(1);
    expect(calls(counted, 'validatorOf')).toBeGreaterThan(6);
    expect(calls(counted, 'compileSchema')).toBe(0);
  });
});
