/**
 * Shapes of what comes from outside, each written once: `s.object({ … })` is a JSON schema (draft
 * 2020-12) at run time and carries the type of the values that fit it. Nothing here loads or runs a
 * checker, so a file of shapes costs next to nothing; `compile` makes the check (decision 17).
 */

declare const described: unique symbol;

/** A JSON schema whose values have the type `T`. Only the words of `s` make one. */
export interface Schema<out T> {
  /** Never there at run time: it holds schemas of different types apart. */
  readonly [described]: T;
  readonly [keyword: string]: unknown;
}

/** The type of the values that fit a schema. */
export type Static<S extends Schema<unknown>> = S[typeof described];

/** A field that may be left out. */
export interface Optional<out T> {
  readonly optional: Schema<T>;
}

/** The fields of an object, by name. */
export type Fields = Readonly<Record<string, Schema<unknown> | Optional<unknown>>>;

/** The object that has these fields. */
export type StaticFields<F extends Fields> = Flat<
  {
    readonly [K in keyof F as F[K] extends Schema<unknown> ? K : never]: F[K] extends Schema<
      infer T
    >
      ? T
      : never;
  } & {
    readonly [K in keyof F as F[K] extends Optional<unknown> ? K : never]?: F[K] extends Optional<
      infer T
    >
      ? T
      : never;
  }
>;

type Flat<T> = { readonly [K in keyof T]: T[K] };

/** The same fields, each of which may be left out. */
type AllOptional<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Schema<infer T> ? Optional<T> : F[K];
};

interface StringRules {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

interface NumberRules {
  readonly minimum?: number;
  readonly maximum?: number;
}

interface ArrayRules {
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface RecordRules {
  readonly maxProperties?: number;
  /** What the names have to be. */
  readonly names?: Schema<string>;
}

type Word = string | number | boolean;

/** The one place where keywords are declared to describe a type: each word of `s` vouches for its own. */
function made<T>(keywords: object): Schema<T> {
  return keywords as Schema<T>;
}

function isOptional(field: Schema<unknown> | Optional<unknown>): field is Optional<unknown> {
  return 'optional' in field;
}

function objectWith<F extends Fields>(fields: F, others: object): Schema<StaticFields<F>> {
  const entries = Object.entries(fields);
  return made({
    type: 'object',
    required: entries.filter(([, field]) => !isOptional(field)).map(([name]) => name),
    properties: Object.fromEntries(
      entries.map(([name, field]) => [name, isOptional(field) ? field.optional : field]),
    ),
    ...others,
  });
}

/** Names of fields that other programs and newer versions may add to our files. They decide nothing. */
const extensionNames = '^x-';

/** The words that shapes are written with. */
export const s = {
  string: (rules: StringRules = {}) => made<string>({ type: 'string', ...rules }),
  number: (rules: NumberRules = {}) => made<number>({ type: 'number', ...rules }),
  integer: (rules: NumberRules = {}) => made<number>({ type: 'integer', ...rules }),
  boolean: () => made<boolean>({ type: 'boolean' }),
  null: () => made<null>({ type: 'null' }),
  unknown: () => made<unknown>({}),

  literal: <const T extends Word>(value: T) => made<T>({ const: value }),

  /** One of these words. */
  oneOf: <const T extends Word>(words: readonly T[]) => made<T>({ enum: [...words] }),

  nullable: <T>(schema: Schema<T>) => made<T | null>({ anyOf: [schema, { type: 'null' }] }),

  /** The first form that fits counts; put the one that people mean first: errors speak of it. */
  union: <const S extends readonly Schema<unknown>[]>(...forms: S) =>
    made<Static<S[number]>>({ anyOf: forms }),

  array: <T>(items: Schema<T>, rules: ArrayRules = {}) =>
    made<readonly T[]>({ type: 'array', items, ...rules }),

  /** A list that holds at least one. */
  filled: <T>(items: Schema<T>, rules: Omit<ArrayRules, 'minItems'> = {}) =>
    made<readonly [T, ...T[]]>({ type: 'array', minItems: 1, items, ...rules }),

  /** A list of exactly these, in this order. */
  tuple: <const S extends readonly Schema<unknown>[]>(...items: S) =>
    made<{ readonly [K in keyof S]: S[K] extends Schema<infer T> ? T : never }>({
      type: 'array',
      minItems: items.length,
      maxItems: items.length,
      ...(items.length > 0 && { prefixItems: [...items], items: false }),
    }),

  /** Any names with values of one shape. */
  record: <T>(values: Schema<T>, { names, ...rules }: RecordRules = {}) =>
    made<Readonly<Record<string, T>>>({
      type: 'object',
      additionalProperties: values,
      ...(names !== undefined && { propertyNames: names }),
      ...rules,
    }),

  /** The same, with words for the readers of a schema. */
  described: <T>(schema: Schema<T>, description: string) => made<T>({ ...schema, description }),

  optional: <T>(schema: Schema<T>): Optional<T> => ({ optional: schema }),

  /** The same fields, each of which may be left out. */
  partial: <F extends Fields>(fields: F) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        isOptional(field) ? field : { optional: field },
      ]),
    ) as AllOptional<F>,

  /** These fields and no others. */
  object: <F extends Fields>(fields: F, rules: { readonly minProperties?: number } = {}) =>
    objectWith(fields, { additionalProperties: false, ...rules }),

  /** An object of a file of ours: these fields, and such as begin with `x-`, which decide nothing. */
  file: <F extends Fields>(fields: F) =>
    objectWith(fields, {
      additionalProperties: false,
      patternProperties: { [extensionNames]: {} },
    }),

  /**
   * These fields have to fit; any others are let through and read by nobody. For what strangers say,
   * who add fields in any release.
   */
  open: <F extends Fields>(fields: F) => objectWith(fields, { additionalProperties: true }),
} as const;

/** The head of a file that people write: its version, and where their editor finds its schema. */
export const fileHead = {
  /** For editors alone; it decides nothing. */
  $schema: s.optional(s.string({ maxLength: 2_048 })),
  version: s.literal(1),
};
