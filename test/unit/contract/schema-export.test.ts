import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { createContractBundle } from '../../../shared/contract/contract-schemas.ts'
import type { JsonSchema } from '../../../shared/contract/json-schema.ts'
import { toExportedSchema, writeJsonSchemaBundle } from '../../../electron/core/contract/json-schema-writer.ts'
import type { LearnedShape } from '../../../electron/core/contract/learned-shape.ts'
import { writeMarkdown } from '../../../shared/contract/markdown-writer.ts'
import { writeOpenApi } from '../../../electron/core/contract/openapi-writer.ts'
import { toRecordedSchema } from '../../../electron/core/contract/recorded-schemas.ts'
import { observeResponse } from '../../../electron/core/contract/response-observer.ts'
import { hashResponseId } from '../../../electron/core/contract/response-sketch.ts'
import type { SchemaBundle } from '../../../shared/contract/route-schema.ts'
import { compareBundles } from '../../../electron/core/contract/schema-comparison.ts'
import { exportSchemas } from '../../../electron/core/contract/schema-export.ts'
import { readSchemaFile } from '../../../electron/core/contract/schema-file.ts'
import { createCombinedBundle } from '../../../electron/core/contract/schema-side.ts'
import { combineSchemas } from '../../../electron/core/contract/schema-union.ts'
import { writeTypeDeclarations } from '../../../electron/core/contract/type-declarations-writer.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { route } from './model-builders.ts'

const firstBody = {
  nodes: [
    { kind: 'note', id: 'D2C0DD3B-1111-4111-8111-0123456789AB', title: '颈椎', at: '2026-11-26T03:00:00Z', level: 1 },
    { kind: 'picture', id: 'D2C0DD3B-1111-4111-8111-0123456789AC', url: 'https://example.com/a.png', level: 2.5 },
    { kind: 'note', id: 'D2C0DD3B-1111-4111-8111-0123456789AD', title: null, at: '2026-11-26T03:00:01Z', level: 3 },
  ],
  byId: { 'D2C0DD3B-1111-4111-8111-0123456789AB': { page: 1 }, 'D2C0DD3B-1111-4111-8111-0123456789AC': { page: 2 } },
  md5: 'd41d8cd98f00b204e9800998ecf8427e',
  mode: 'once',
  __proto__x: true,
}
const bodies: readonly unknown[] = [
  // In fewer responses, words that the contract does not know might be those of a person.
  ...[firstBody, firstBody, firstBody],
  { nodes: [], byId: {}, md5: 'd41d8cd98f00b204e9800998ecf8427f', mode: 'twice', truncated: false },
  JSON.parse('{"nodes": [], "byId": {}, "md5": "d41d8cd98f00b204e9800998ecf8427f", "__proto__": {"a": 1}}'),
]

function learn(values: readonly unknown[]): JsonSchema {
  const shape: LearnedShape = {}
  for (const [index, value] of values.entries()) observeResponse(shape, value, hashResponseId(`exchange ${index}`))
  return toRecordedSchema(shape)
}

const recorded = learn(bodies)

/** The contract as a host speaks it that was recorded with these bodies. */
function createHostBundle(): SchemaBundle {
  const contract = createContractBundle()
  return {
    ...contract,
    routes: [
      ...contract.routes.map((entry) =>
        entry.endpoint === 'studySets.tree'
          ? { ...entry, response: entry.response && combineSchemas(entry.response, recorded), error: recorded }
          : entry,
      ),
      route({ template: '/unknown/{}/of/{}', isRecorded: true, response: recorded }),
      route({ method: 'POST', template: '/unknown/{}/of/{}', isRecorded: true, response: null }),
    ],
  }
}

interface Operation {
  readonly summary: string
  readonly description: string
  readonly parameters: readonly { readonly name: string; readonly schema: JsonSchema }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: JsonSchema }> }
  readonly responses: Record<string, { readonly content: Record<string, { readonly schema: JsonSchema }> }>
}

const getSchema = ({ responses }: Operation): JsonSchema => responses['200']?.content['application/json']?.schema ?? {}

const withoutExamples = { hasExamples: false }

describe('an exported JSON Schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })

  it('accepts every recorded response, alone and with the contract', () => {
    const contract = createContractBundle().routes.find(({ endpoint }) => endpoint === 'studySets.tree')?.response
    expect(contract).toBeTruthy()
    const combined = combineSchemas(contract ?? recorded, recorded)
    for (const model of [recorded, combined]) {
      const validate = ajv.compile(toExportedSchema(model, withoutExamples))
      for (const body of bodies) expect(validate(body) || validate.errors).toBe(true)
      expect(validate({ nodes: 'none' })).toBe(false)
    }
  })

  it('is a valid schema for every route', () => {
    for (const { body, response, parameters } of createContractBundle().routes) {
      for (const model of [body, response, ...parameters.map(({ schema }) => schema)]) {
        if (model) expect(ajv.validateSchema(toExportedSchema(model, withoutExamples))).toBe(true)
      }
    }
  })

  it('shows formats, dictionaries and shapes by tag, and limits nothing that was only recorded', () => {
    const schema = JSON.stringify(toExportedSchema(recorded, withoutExamples))
    for (const part of ['"format":"uuid"', '"format":"date-time"', '"pattern":"^[0-9A-Fa-f]{32}$"', '"enum":["note"]'])
      expect(schema).toContain(part)
    expect(schema).toMatch(/"additionalProperties":\{"type":"object","properties":\{"page"/)
    expect(schema).toMatch(/"x-recorded":\{"responses":\d+,"range":\{"min":1,"max":3\}\}/)
    expect(schema).not.toMatch(/"type":"(?:number|integer)","minimum"/)
  })

  it('holds no recorded values, and with examples only words of the interface', () => {
    const plain = JSON.stringify(toExportedSchema(recorded, withoutExamples))
    const full = JSON.stringify(toExportedSchema(recorded, { hasExamples: true }))
    for (const value of ['颈椎', 'D2C0DD3B', 'd41d8cd9', 'example.com', '2026-11']) expect(full).not.toContain(value)
    expect(plain).not.toContain('twice')
    expect(full).toContain('"examples":["once","twice"]')
  })

  it('is read back so that it equals what was written', () => {
    const bundle = createHostBundle()
    const text = writeJsonSchemaBundle(bundle, withoutExamples)
    const parsed = readSchemaFile(text)
    expect(parsed.routes.length).toBe(bundle.routes.length)
    expect(compareBundles(bundle, parsed)).toEqual([])
    expect(compareBundles(parsed, bundle)).toEqual([])
    expect(ajv.validateSchema(JSON.parse(text) as object)).toBe(true)
  })
})

describe('an exported OpenAPI document', () => {
  const facts = { version: '0.91', baseUrl: 'http://127.0.0.1:4321/bridge/v1', ...withoutExamples }
  const recordedRoute = { isRecorded: true, response: recorded } as const
  const oddBundle: SchemaBundle = {
    ...createContractBundle(),
    routes: [
      ...createContractBundle().routes,
      route({ ...recordedRoute, method: 'DELETE', template: '/notes/{}/render' }),
      route({ ...recordedRoute, template: '/a-b' }),
      route({ ...recordedRoute, template: '/a/b' }),
      route({ ...recordedRoute, method: 'PURGE', template: '/a/b' }),
    ],
  }
  const documents = [createContractBundle(), createHostBundle(), oddBundle].map((bundle) => writeOpenApi(bundle, facts))

  it.each(documents)('is accepted by two independent validators', async (text) => {
    const result = await new Validator().validate(JSON.parse(text) as Record<string, unknown>)
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
    expect(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([])
  })

  it('has a path, an id and a status that OpenAPI allows for each recorded route', () => {
    const { paths, info } = JSON.parse(documents[2] ?? '') as {
      paths: Record<string, Record<string, { operationId: string; responses: object }>>
      info: { description: string }
    }
    expect(Object.keys(paths).filter((path) => /^\/notes\/\{\w+\}\/render$/.test(path))).toHaveLength(1)
    const listed = ['/a-b', '/a/b'].map((path) => paths[path]?.['get'])
    expect(listed.map((operation) => operation?.operationId)).toEqual(['get-a-b', 'get-a-b-2'])
    expect(Object.keys(listed[0]?.responses ?? {})).toEqual(['2XX', 'default'])
    expect(Object.keys(paths['/a/b'] ?? {})).toEqual(['get'])
    expect(info.description).toContain('PURGE /a/b')
    for (const text of [info.description, writeJsonSchemaBundle(oddBundle, withoutExamples)])
      expect(text).toContain('a sample of responses')
  })

  it('names the hosts that were recorded, and an address only if there is one', () => {
    const exportFrom = (...hosts: string[]): { info: { title: string }; servers: object[] } => {
      const filter = { host: null, version: null, from: null, to: null }
      const { text } = exportSchemas({
        ...{ format: 'openapi', side: { kind: 'recorded', filter }, ...withoutExamples, declarations: '' },
        recorded: [route({ ...recordedRoute, hosts })],
      })
      return JSON.parse(text) as ReturnType<typeof exportFrom>
    }
    expect(exportFrom('http://a:1', 'http://b:2').info.title).toContain('(http://a:1, http://b:2)')
    expect(exportFrom('http://a:1', 'http://b:2').servers).toEqual([expect.objectContaining({ url: '/bridge/v1' })])
    for (const host of ['http://a:1', 'http://a:1/', 'http://a:1/bridge/v1']) {
      const [server] = exportFrom(host).servers as { url: string; variables: { baseUrl: { default: string } } }[]
      expect(server?.url.replace('{baseUrl}', server.variables.baseUrl.default)).toBe('http://a:1/bridge/v1')
    }
  })

  it('says what the spec says of statuses, media types, defaults and observed values', () => {
    const { paths, info } = JSON.parse(documents[0] ?? '') as {
      paths: Record<string, Record<string, Operation>>
      info: { version: string }
    }
    expect(info.version).toBe('0.91')
    const getOperation = (route: string): Operation => {
      const [method = '', path = ''] = route.split(' ')
      const operation = paths[path]?.[method.toLowerCase()]
      if (!operation) throw new Error(`no operation ${route}`)
      return operation
    }
    const listMediaTypes = (route: string): string[] => Object.keys(getOperation(route).responses['200']?.content ?? {})
    expect(listMediaTypes('GET /documents/{bookmd5}/pages/{index}/content/{contentId}')).toEqual(['image/*'])
    expect(listMediaTypes('GET /notes/{noteid}/content/{contentId}')).toEqual(['image/*', 'audio/*', 'video/*'])
    expect(listMediaTypes('GET /notes/{noteid}/render')).toEqual(['image/*', 'application/pdf'])
    expect(listMediaTypes('GET /bundles/{bundleId}/files')).toEqual(['*/*'])
    expect(listMediaTypes('GET /guide')).toEqual(['text/markdown'])

    const getDefault = (route: string, name: string): unknown =>
      getOperation(route).parameters.find((parameter) => parameter.name === name)?.schema.default
    expect(getDefault('GET /study-sets/{topicid}/tree', 'limit')).toBe(5000)
    expect(getDefault('GET /documents/{bookmd5}/pages/{index}/content/{contentId}', 'maxEdge')).toBe(2048)
    expect(getDefault('GET /notes/{noteid}/content/{contentId}', 'maxEdge')).toBeUndefined()

    const commit = getOperation('POST /writing/pencil-commit')
    expect(Object.keys(commit.responses)).toEqual(expect.arrayContaining(['200', '202']))
    expect(commit.summary).toBe('Saves the focus root canvas’s strokes as a snapshot')
    expect(commit.description).toContain('the response is an acceptance, not the outcome.')
    expect(commit.description).toContain('Source: spec §4 pencil-commit')
    const { properties } = getSchema(commit)
    expect(properties?.['state']).toEqual({
      type: 'string',
      description: 'Observed: "pending".',
      examples: ['pending'],
    })
    expect(JSON.stringify(properties?.['receipt'])).not.toMatch(/"(?:const|enum|type)"/)
    expect(JSON.stringify(paths)).not.toContain('"const"')
    expect(Object.keys(getOperation('POST /notes/{noteid}/blank-bands').responses)).toContain('409')

    const verdict = getOperation('POST /notes/{noteid}/practice-verdict').requestBody?.content['application/json']
    expect(verdict?.schema.required).toEqual(['expectedRevision'])
    expect(verdict?.schema.properties?.['practice']).toMatchObject({ properties: { topic: { type: 'string' } } })
    expect(verdict?.schema.properties?.['practice']?.required).toBeUndefined()
    const items = getSchema(getOperation('POST /notes/batch-get')).properties?.['items']
    expect(items?.maxItems).toBeUndefined()
    expect(items?.items?.properties?.['parts']?.items?.properties?.['contentId']).toEqual({ type: 'string' })
    const pages = getSchema(getOperation('GET /documents/{bookmd5}/outline')).properties?.['pageCount']
    expect(pages).toEqual({ type: 'integer', minimum: 0, 'x-basis': 'observed' })
  })

  it('has every route of the contract', () => {
    const { paths } = JSON.parse(documents[0] ?? '') as { paths: Record<string, Record<string, unknown>> }
    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(routes.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort())
  })
})

describe('the contract with what was recorded', () => {
  it('says of a list without a name what the contract shows of its entries', () => {
    const bodies = [{ books: [{ bookmd5: 'a'.repeat(32), title: 'A', pageCount: 3, sourceState: 'gone' }] }]
    const observed = route({
      ...{ template: '/study-sets/{topicid}/documents', endpoint: 'studySets.documents', isRecorded: true },
      response: learn(bodies),
    })
    const { routes } = createCombinedBundle([observed], '')
    const { response } = routes.find(({ endpoint }) => endpoint === 'studySets.documents') ?? {}
    const entry = response?.properties?.['books']?.items
    expect(entry?.properties?.['pageCount']).toMatchObject({ type: 'integer', minimum: 0 })
    expect(entry?.properties?.['sourceState']).toMatchObject({ type: 'string', examples: ['normal', 'missing_file'] })
    expect(routes.find(({ endpoint }) => endpoint === 'documents.pages')?.unnamedList?.maxItems).toBeUndefined()
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(response ?? {})
    for (const body of bodies) expect(validate(body) || validate.errors).toBe(true)
  })
})

describe('exported type declarations', () => {
  const shipped = readFileSync(new URL('../../../resources/bridge.d.ts', import.meta.url), 'utf8')

  it('compile, and keep the helpers of the shipped ones', () => {
    const text = writeTypeDeclarations(createHostBundle(), shipped)
    const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true, fileName: 'bridge.ts' })
    expect(diagnostics.map(({ messageText }) => messageText)).toEqual([])
    expect(text).toContain("readonly 'GET /unknown/{}/of/{}'")
    expect(text.slice(text.indexOf('export type Route ='))).toBe(shipped.slice(shipped.indexOf('export type Route =')))
    for (const { method, path } of endpoints) expect(text).toContain(`readonly '${method} ${path}': {`)
  })
})

describe('exported Markdown', () => {
  it('has a table for each response, in which foreign names begin no markup', () => {
    const hostile = learn([{ 'a|b<script>': 1 }, { note_with_line: 1 }])
    const text = writeMarkdown({ title: 'A | B', isPartial: true, routes: [route({ response: hostile })] }, [])
    expect(text).toContain('# A \\| B')
    expect(text).toContain('| `/note_with_line` | integer | no | recorded | 1 |')
    expect(text).not.toContain('<script>')
  })
})

it('requires only what spec-0.91 states, and calls no difference from the rest breaking', () => {
  const contract = createContractBundle()
  const tree = contract.routes.find(({ endpoint }) => endpoint === 'studySets.tree')
  const capabilities = contract.routes.find(({ endpoint }) => endpoint === 'capabilities.get')
  const node = tree?.response?.properties?.['nodes']?.items
  expect([node?.required, capabilities?.response?.required?.includes('routes') ?? false]).toEqual([undefined, false])
  const list = contract.routes.find(({ endpoint }) => endpoint === 'notes.batchGet')?.body?.properties?.['noteIds']
  expect(list?.maxItems).toBeUndefined()
  if (!tree) throw new Error('The contract has no card listing.')
  const other = {
    ...tree,
    response: {
      ...tree.response,
      properties: { nodes: { type: 'array', items: { type: 'object', properties: { title: { type: 'number' } } } } },
    },
  } as const
  const changes = compareBundles({ ...contract, routes: [tree] }, { title: '', isPartial: true, routes: [other] })
  const places = changes.filter(({ isBreaking }) => isBreaking).map(({ pointer }) => pointer)
  expect(changes.some(({ pointer }) => pointer === '/nodes/*/title')).toBe(true)
  expect(places.filter((pointer) => pointer.startsWith('/nodes/*/'))).toEqual([])
  expect(places).toContain('/nodes')
})
