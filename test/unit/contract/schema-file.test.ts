import { describe, expect, it } from 'vitest'
import { createContractBundle } from '../../../shared/contract/contract-schemas.ts'
import type { JsonSchema } from '../../../shared/contract/json-schema.ts'
import { writeJsonSchemaBundle } from '../../../electron/core/contract/json-schema-writer.ts'
import { compareBundles } from '../../../electron/core/contract/schema-comparison.ts'
import { readSchemaFile, SchemaFileError } from '../../../electron/core/contract/schema-file.ts'

type Json = Record<string, unknown>
interface ExportedFile {
  readonly $defs: Record<string, { properties: Record<string, Json>; required: string[] } & Json>
}

const exported = writeJsonSchemaBundle(createContractBundle(), { hasExamples: false })
const EXCERPTS = 'GET /documents/{bookmd5}/excerpts response'
const BANDS = 'POST /notes/{noteid}/blank-bands body'

function getDefinition(file: ExportedFile, name: string): ExportedFile['$defs'][string] {
  const definition = file.$defs[name]
  if (!definition) throw new Error(`no definition ${name}`)
  return definition
}

/** Exports the contract twice, changes both files, and compares what is read from them. */
function compareFiles(change: (before: ExportedFile, after: ExportedFile) => void): string[] {
  const [before, after] = [JSON.parse(exported) as ExportedFile, JSON.parse(exported) as ExportedFile]
  change(before, after)
  const [first, second] = [before, after].map((file) => readSchemaFile(JSON.stringify(file)))
  if (!first || !second) return []
  return compareBundles(first, second).map(({ rule, pointer }) => `${pointer} ${rule}`)
}

const setMember =
  (definition: string, name: string, before: Json | null, after: Json | null) =>
  (...files: ExportedFile[]): void => {
    for (const [index, schema] of [before, after].entries()) {
      const file = files[index]
      if (file && schema) getDefinition(file, definition).properties[name] = schema
    }
  }

describe('two exported files', () => {
  const cases: readonly (readonly [string, Parameters<typeof compareFiles>[0], readonly string[]])[] = [
    ['that are equal', () => undefined, []],
    [
      'with null in a list of types',
      setMember(EXCERPTS, 'title', null, { type: ['string', 'null'] }),
      ['/title response-null-added'],
    ],
    [
      'with null as an alternative',
      setMember(EXCERPTS, 'title', null, { anyOf: [{ type: 'string' }, { type: 'null' }] }),
      ['/title response-null-added'],
    ],
    [
      'with null in both ways',
      setMember(EXCERPTS, 'title', { type: ['string', 'null'] }, { oneOf: [{ type: 'null' }, { type: 'string' }] }),
      [],
    ],
    [
      'with the types in another order',
      setMember(EXCERPTS, 'title', { type: ['string', 'null'] }, { type: ['null', 'string'] }),
      [],
    ],
    [
      'with a constant and an enumeration of one value',
      setMember(EXCERPTS, 'title', { type: 'string', const: 'x' }, { enum: ['x'] }),
      [],
    ],
    [
      'with another constant',
      setMember(EXCERPTS, 'title', { const: 'x' }, { const: 'y' }),
      ['/title response-value-added', '/title response-value-removed'],
    ],
    [
      'with a body that takes no further members',
      (_, after) => (getDefinition(after, BANDS)['additionalProperties'] = false),
      [' request-members-closed'],
    ],
    [
      'with a response that has no further members',
      (_, after) => (getDefinition(after, EXCERPTS)['additionalProperties'] = false),
      [' response-members-closed'],
    ],
    [
      'with a longer list',
      setMember(EXCERPTS, 'duplicates', { type: 'array', maxItems: 5 }, { type: 'array', maxItems: 9 }),
      ['/duplicates response-limit-widened'],
    ],
    [
      'with another pattern',
      setMember(BANDS, 'role', { type: 'string' }, { type: 'string', pattern: '^a' }),
      ['/role request-format-added'],
    ],
    [
      'with an enumeration that a request gains',
      setMember(BANDS, 'role', { type: 'string' }, { type: 'string', enum: ['practice'] }),
      ['/role request-values-closed'],
    ],
    [
      'with a reference in place of a schema',
      (before, after) => {
        Object.assign(after.$defs, { Shared: getDefinition(before, EXCERPTS).properties['items']?.['items'] })
        getDefinition(after, EXCERPTS).properties['items'] = { type: 'array', items: { $ref: '#/$defs/Shared' } }
      },
      [],
    ],
    [
      'with a reference to another schema',
      (_, after) => {
        Object.assign(after.$defs, { Shared: { type: ['string', 'null'] } })
        getDefinition(after, EXCERPTS).properties['title'] = { description: 'Nullable.', $ref: '#/$defs/Shared' }
      },
      ['/title response-null-added'],
    ],
  ]

  it.each(cases)('%s', (_, change, differences) => {
    expect(compareFiles(change)).toEqual(differences)
  })
})

describe('a JSON Schema file of somebody else', () => {
  const read = (schema: unknown): ReturnType<typeof readSchemaFile> => readSchemaFile(JSON.stringify(schema))

  it('is compared as one response', () => {
    const before = read({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] })
    const after = read({ type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { type: 'number' } } })
    expect(compareBundles(before, after).map(({ rule, pointer }) => `${pointer} ${rule}`)).toEqual([
      '/a response-member-optional',
      '/a response-fraction-added',
    ])
  })

  it.each<[string, unknown]>([
    ['if', { if: { type: 'string' }, then: { type: 'string' } }],
    ['allOf', { allOf: [{ type: 'string' }, { minLength: 1 }] }],
    ['not', { not: { type: 'string' } }],
    ['patternProperties', { type: 'object', patternProperties: { '^a': {} } }],
    ['exclusiveMinimum', { type: 'object', properties: { a: { type: 'number', exclusiveMinimum: 1 } } }],
    ['enum', { enum: [{ a: 1 }] }],
    ['type', { type: 'file' }],
    ['required', { type: 'object', required: 'a' }],
    ['properties without type', { properties: { a: {} } }],
    ['type beside anyOf', { type: 'string', anyOf: [{ type: 'string' }] }],
    ['$ref', { $ref: 'https://example.com/schema' }],
    ['$ref to itself', { type: 'array', items: { $ref: '#' } }],
    ['x-recorded', { type: 'string', 'x-recorded': { words: 'a' } }],
    ['openapi', { openapi: '3.1.0' }],
  ])('is refused for %s, by the name of the keyword', (keyword, schema) => {
    expect(() => read(schema)).toThrow(SchemaFileError)
    expect(() => read(schema)).toThrow(`The keyword ${keyword} at `)
  })

  it.each(['', '[]', '1', '{"x-routes": 1}', '{"x-routes": [{"parameters": []}], "x-isPartial": true}'])(
    'is refused if it is %s',
    (text) => {
      expect(() => readSchemaFile(text)).toThrow(SchemaFileError)
    },
  )

  it('is refused if references multiply it', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index): [string, JsonSchema & { anyOf: unknown[] }] => {
        const $ref = `#/$defs/${index + 1}`
        return [String(index), { anyOf: [{ $ref }, { $ref }] as never }]
      }),
    )
    expect(() => read({ anyOf: [{ $ref: '#/$defs/0' }], $defs: { ...$defs, 60: {} } })).toThrow('too large')
  })

  it('is refused if it is nested without end', () => {
    const text = '{"type":"array","items":'.repeat(5_000) + '{}' + '}'.repeat(5_000)
    expect(() => readSchemaFile(text)).toThrow(SchemaFileError)
  })
})
