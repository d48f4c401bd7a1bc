import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { combineSchemas } from '../../../shared/contract/combined-schemas.ts'
import { createContractBundle, toSchemaModel } from '../../../shared/contract/contract-schemas.ts'
import { parseJsonSchemaBundle } from '../../../shared/contract/json-schema-reader.ts'
import { toJsonSchema, writeJsonSchemaBundle } from '../../../shared/contract/json-schema-writer.ts'
import type { LearnedShape } from '../../../shared/contract/learned-shape.ts'
import { writeMarkdown } from '../../../shared/contract/markdown-writer.ts'
import { writeOpenApi } from '../../../shared/contract/openapi-writer.ts'
import { toRecordedModel } from '../../../shared/contract/recorded-schemas.ts'
import { observeResponse } from '../../../shared/contract/response-observer.ts'
import { hashResponseId } from '../../../shared/contract/response-sketch.ts'
import type { SchemaBundle } from '../../../shared/contract/route-schema.ts'
import { compareBundles } from '../../../shared/contract/schema-comparison.ts'
import { exportSchemas } from '../../../shared/contract/schema-export.ts'
import type { SchemaModel } from '../../../shared/contract/schema-model.ts'
import { writeTypeDeclarations } from '../../../shared/contract/type-declarations-writer.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { getSchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
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

function learn(values: readonly unknown[]): SchemaModel {
  const shape: LearnedShape = {}
  for (const [index, value] of values.entries()) observeResponse(shape, value, hashResponseId(`exchange ${index}`))
  return toRecordedModel(shape)
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
      route({ template: '/unknown/{}/of/{}', source: 'recorded', response: recorded }),
      route({ method: 'POST', template: '/unknown/{}/of/{}', source: 'recorded', response: null }),
    ],
  }
}

const withoutExamples = { hasExamples: false }

describe('an exported JSON Schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })

  it('accepts every recorded response, alone and with the contract', () => {
    const contract = createContractBundle().routes.find(({ endpoint }) => endpoint === 'studySets.tree')?.response
    expect(contract).toBeTruthy()
    const combined = combineSchemas(contract ?? recorded, recorded)
    for (const model of [recorded, combined]) {
      const validate = ajv.compile(toJsonSchema(model, withoutExamples))
      for (const body of bodies) expect(validate(body) || validate.errors).toBe(true)
      expect(validate({ nodes: 'none' })).toBe(false)
    }
  })

  it('is a valid schema for every route', () => {
    for (const { body, response, parameters } of createContractBundle().routes) {
      for (const model of [body, response, ...parameters.map(({ schema }) => schema)]) {
        if (model) expect(ajv.validateSchema(toJsonSchema(model, withoutExamples))).toBe(true)
      }
    }
  })

  it('shows formats, dictionaries and shapes by tag, and limits nothing that was only recorded', () => {
    const schema = JSON.stringify(toJsonSchema(recorded, withoutExamples))
    for (const part of ['"format":"uuid"', '"format":"date-time"', '"pattern":"^[0-9A-Fa-f]{32}$"', '"enum":["note"]'])
      expect(schema).toContain(part)
    expect(schema).toMatch(/"additionalProperties":\{"type":"object","properties":\{"page"/)
    expect(schema).toMatch(/"x-recorded":\{"responses":\d+,"minimum":1,"maximum":3\}/)
    expect(schema).not.toMatch(/"type":"(?:number|integer)","minimum"/)
  })

  it('holds no recorded values, and with examples only words of the interface', () => {
    const plain = JSON.stringify(toJsonSchema(recorded, withoutExamples))
    const full = JSON.stringify(toJsonSchema(recorded, { hasExamples: true }))
    for (const value of ['颈椎', 'D2C0DD3B', 'd41d8cd9', 'example.com', '2026-11']) expect(full).not.toContain(value)
    expect(plain).not.toContain('twice')
    expect(full).toContain('"examples":["once","twice"]')
  })

  it('is read back so that it equals what was written', () => {
    const bundle = createHostBundle()
    const text = writeJsonSchemaBundle(bundle, withoutExamples)
    const parsed = parseJsonSchemaBundle(text)
    expect(parsed?.routes.length).toBe(bundle.routes.length)
    expect(parsed && compareBundles(bundle, parsed)).toEqual([])
    expect(parsed && compareBundles(parsed, bundle)).toEqual([])
    expect(ajv.validateSchema(JSON.parse(text) as object)).toBe(true)
  })

  it.each(['', '{}', '[]', '{"x-routes": 1}', '{"openapi": "3.1.0"}'])('is not read from %s', (text) => {
    expect(parseJsonSchemaBundle(text)).toBeNull()
  })
})

describe('an exported OpenAPI document', () => {
  const facts = { version: '0.91', baseUrl: 'http://127.0.0.1:4321', ...withoutExamples }
  const recordedRoute = { source: 'recorded', response: recorded } as const
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
    expect(exportFrom('http://a:1').servers).toEqual([
      expect.objectContaining({ variables: { baseUrl: expect.objectContaining({ default: 'http://a:1' }) as object } }),
    ])
  })

  it('has every route of the contract', () => {
    const { paths } = JSON.parse(documents[0] ?? '') as { paths: Record<string, Record<string, unknown>> }
    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(routes.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort())
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
    const text = writeMarkdown({ title: 'A | B', isPartial: true, routes: [route({ response: hostile })] })
    expect(text).toContain('# A \\| B')
    expect(text).toContain('Only what was recorded.')
    expect(text).toContain('| `/note_with_line` | integer | no | recorded | 1 |')
    expect(text).not.toContain('<script>')
  })
})

describe('the contract as a model', () => {
  it('describes every response without failing', () => {
    for (const { response } of endpoints) {
      if (response.kind === 'json') expect(toSchemaModel(getSchemaPlan(response.schema)).types.length).toBeLessThan(9)
    }
  })
})
