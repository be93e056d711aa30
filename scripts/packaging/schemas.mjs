// @ts-check
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolPolicySchema } from '../../shared/engine/brokered/policy.ts';
import { configFileSchema } from '../../shared/engine/config.ts';
import { policyFileSchema } from '../../shared/engine/policy/types.ts';
import { answerFileSchema, descriptorSchema, teardownSchema } from '../../shared/wire/index.ts';
import { settingsFileSchema } from '../../app/bridge/settings.ts';
import { words } from './schema-words.mjs';

/**
 * The JSON Schemas of the files that people and other programs write, for editors: the very shapes by
 * which Interlock reads them, with a sentence for each field. What the documentation says in a table is
 * taken from there.
 */

/** Each with its title, and the pages whose tables say what its fields mean. */
const files = {
  config: {
    schema: configFileSchema,
    title: 'config.json of Interlock: settings of the runner',
    pages: ['configuration.md'],
  },
  policy: {
    schema: policyFileSchema,
    title: 'exec-approvals.json of Interlock: who may run what',
    pages: ['rules.md'],
  },
  tool: {
    schema: toolPolicySchema,
    title: 'policy/NAME.yaml of Interlock: what a brokered tool may be asked for',
    pages: [],
  },
  ui: {
    schema: settingsFileSchema,
    title: 'ui.json of Interlock: settings of the app',
    pages: [],
  },
  request: {
    schema: descriptorSchema,
    title: 'requests/ID.yaml of a folder shared with Interlock: what an agent asks for',
    pages: ['shared-folder.md'],
  },
  answer: {
    schema: answerFileSchema,
    title: 'responses/ID.yaml of a folder shared with Interlock: what became of a request',
    pages: ['shared-folder.md'],
  },
  teardown: {
    schema: teardownSchema,
    title: 'teardowns/ID.yaml of a folder shared with Interlock: whoever asked waits no longer',
    pages: ['shared-folder.md'],
  },
};

/**
 * Writes `NAME.schema.json` for each file.
 *
 * @param {string} target the folder; what was in it goes
 * @param {string} docs the folder of the documentation
 */
export function writeSchemas(target, docs) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const [name, schema] of Object.entries(fileSchemas(docs)))
    writeFileSync(join(target, `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);
}

/**
 * The schemas by their names.
 *
 * @param {string} docs the folder of the documentation
 */
export function fileSchemas(docs) {
  return Object.fromEntries(
    Object.entries(files).map(([name, { schema, title, pages }]) => {
      const said = new Map(pages.flatMap((page) => rowsOf(readFileSync(join(docs, page), 'utf8'))));
      const describe = (/** @type {string} */ path) => wordsFor(`${name}:${path}`, said);
      return [
        name,
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          title,
          ...withWords(schema, '', describe),
        },
      ];
    }),
  );
}

/**
 * What the tables of a page say of the names in their first cells.
 *
 * @param {string} page
 * @returns {[string, string][]}
 */
function rowsOf(page) {
  return [...page.matchAll(/^\| (`[^|]*?`) *\|(?:[^|]*\|)*?([^|]*)\|$/gmu)].flatMap(
    ([, names = '', meaning = '']) =>
      [...names.matchAll(/`([^`]+)`/gu)].map(([, name = '']) => [name, plain(meaning)]),
  );
}

/** @param {string} markdown */
function plain(markdown) {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replaceAll(/[`_]/gu, (sign, at) =>
      sign === '_' && /\w/u.test(markdown[at - 1] ?? '') ? sign : '',
    )
    .trim();
}

/**
 * The words for a field, of the longest end of its path that has some: `agents.*.sandbox.memory` is
 * what `sandbox.memory` is.
 *
 * @param {string} path of the name of the file and the field: `config:agents.*.sandbox.memory`
 * @param {ReadonlyMap<string, string>} said by the documentation
 */
function wordsFor(path, said) {
  const [file = '', field = ''] = path.split(':');
  const parts = field.split('.');
  for (const at of parts.keys()) {
    const end = parts.slice(at).join('.');
    const found = words[`${file}:${end}`] ?? said.get(end) ?? words[end];
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * A copy of a schema in which each field has its words.
 *
 * @param {any} schema
 * @param {string} path
 * @param {(path: string) => string | undefined} describe
 * @returns {any}
 */
function withWords(schema, path, describe) {
  if (Array.isArray(schema)) return schema.map((one) => withWords(one, path, describe));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties')
        return [
          keyword,
          Object.fromEntries(
            Object.entries(value).map(([name, field]) => {
              const inner = path === '' ? name : `${path}.${name}`;
              const description = describe(inner);
              const shape = withWords(field, inner, describe);
              return [name, description === undefined ? shape : { description, ...shape }];
            }),
          ),
        ];
      if (keyword === 'additionalProperties')
        return [keyword, withWords(value, `${path}.*`, describe)];
      if (['anyOf', 'items', 'prefixItems'].includes(keyword))
        return [keyword, withWords(value, path, describe)];
      return [keyword, value];
    }),
  );
}
