import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint, EndpointParameter } from '../../../shared/bridge/endpoints/endpoint.ts'
import { canEscapeFolder } from '../../../shared/bridge/endpoints/path-template.ts'
import { endpoints, classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../../electron/services/bridge/client/request-path.ts'

/** Every route of the two contracts that is not a read. */
const writeRoutes =
  `/library/study-sets /study-sets/{}/documents /study-sets/{}/delete /study-sets/{}/snapshots /study-sets/{}/open
/snapshots/{}/restore /notes/hashtags /notes/metadata /notes/move /notes/copy /notes/delete /notes/fold /notes/{}/title
/notes/{}/text /notes/{}/comments /notes/{}/comments/{} /notes/{}/comments/{}/delete /notes/{}/merge-branch
/notes/{}/fold-into-sub-map /notes/{}/image-occlusions /notes/{}/blank-bands /notes/{}/practice-verdict /notes/{}/focus
/documents/{}/toc /decks /decks/{}/cards /decks/{}/open /bundles/{}/submit /ui-state/apply /writing/session-focus-begin
/writing/session-reserve /writing/session-pause /writing/pencil-commit /pair /library/documents/upload /library/documents/{}/delete
/study-sets/{}/documents/{}/delete /study-sets/{}/mindmap-print/export /documents/{}/export /bundles/prepare /bundles/{}/discard
/bundles/{}/focus /sync/legacy/recheck /sync/legacy/inventory /install /install/code /mcp`.split(/\s+/)

const unconfirmedIds =
  `bundles.discard bundles.focus bundles.prepare bundles.submit decks.open documents.export install.code install.get mcp.post
notes.focus pair.post studySets.createSnapshot studySets.open studySets.printExport sync.inventory sync.recheck uiState.apply`.split(
    /\s+/,
  )

const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => value !== '.' && value !== '..')

/** A path inside a bundle. Paths that lead out of it are rejected and have their own tests. */
const pathInside = text.filter((value) => !canEscapeFolder(value))

function arbitraryValue({ type, values, min, max, relativePath }: EndpointParameter): fc.Arbitrary<string> {
  if (relativePath) return pathInside
  if (type === 'enum') return fc.constantFrom(...(values ?? []))
  if (type === 'integer') return fc.integer({ min: min ?? -1_000, max: max ?? 1_000_000 }).map(String)
  return text
}

/** Values for every path parameter and for some of the query. */
function arbitraryValues(row: Endpoint) {
  const arbitraryRecord = (place: EndpointParameter['in'], isOptional: boolean) => {
    const parameters = row.parameters.filter((parameter) => parameter.in === place)
    const shape = Object.fromEntries(parameters.map((parameter) => [parameter.name, arbitraryValue(parameter)]))
    return fc.record(
      shape,
      isOptional ? { requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name) } : {},
    )
  }
  return fc.record({ params: arbitraryRecord('path', false), query: arbitraryRecord('query', true) })
}

describe('the endpoint table', () => {
  it('holds every write of the contract, and no other', () => {
    const rows = endpoints.filter(({ access }) => access !== 'read')
    expect(rows.map(({ path }) => path.replace(/\{\w+\}/g, '{}')).sort()).toEqual([...writeRoutes].sort())
    // The installation script is the only GET with an effect: it uses up a code.
    const exceptions = rows.filter(
      ({ method, body, isUpload: upload }) => method !== 'POST' || (body === null && !upload),
    )
    expect(exceptions.map(({ id }) => id)).toEqual(['install.get'])
  })

  it('asks for confirm wherever the contract requires it', () => {
    const rows = endpoints.filter(({ access, confirm }) => access !== 'read' && confirm === 'none')
    expect(rows.map(({ id }) => id).sort()).toEqual(unconfirmedIds)
    expect(endpoints.filter(({ access }) => access === 'read').every(({ confirm }) => confirm === 'none')).toBe(true)
  })

  it('accepts confirm and unknown members in every confirmed body, and rejects a string as confirm', () => {
    for (const { id, body } of endpoints.filter(({ confirm }) => confirm === 'body')) {
      const issues = body?.safeParse({ confirm: 'true' }).error?.issues ?? []
      expect(
        issues.some(({ path }) => path.join() === 'confirm'),
        id,
      ).toBe(true)
    }
  })

  it('safety 40: classifies a built path as its row, whatever the values are', () => {
    for (const row of endpoints) {
      fc.assert(
        fc.property(arbitraryValues(row), ({ params, query }) => {
          const path = buildPath(row, params, query)
          const classification = classifyRequest(row.method, path)
          expect(classification.endpoint?.id).toBe(row.id)
          expect(classification.access).toBe(row.access)
          expect(classification.params).toEqual({ ...params })
          const sentQuery = new URLSearchParams(path.split('?')[1] ?? '')
          expect(Object.fromEntries(sentQuery)).toEqual({ ...query })
        }),
        { numRuns: 40 },
      )
    }
  })

  it('safety 40: keeps a value from crossing a slash', () => {
    for (const { method, path } of endpoints) {
      if (!path.includes('{')) continue
      const longerPath = path.replace(/\{\w+\}/, 'a/b').replace(/\{\w+\}/g, 'c')
      const isExact = endpoints.some((row) => row.method === method && row.path === longerPath)
      const endpoint = classifyRequest(method, longerPath).endpoint
      if (!isExact && endpoint) expect(endpoint.path.split('/').length, longerPath).toBe(longerPath.split('/').length)
      expect(classifyRequest(method, `${longerPath}/more/and/more`).endpoint, longerPath).toBeNull()
    }
  })

  it('safety 40: treats a POST as a read only if the table says exactly that', () => {
    const reads = new Set(['/notes/batch-get', '/writing/pencil-result'])
    fc.assert(
      fc.property(fc.constantFrom(...reads), text, fc.nat(40), (path, noise, position) => {
        const changed = path.slice(0, position) + noise + path.slice(position)
        const bare = changed.split('?', 1)[0] ?? ''
        const isRead =
          reads.has(bare) || /^\/documents\/[^/]+\/locate$|^\/study-sets\/[^/]+\/mindmap-print\/preview$/.test(bare)
        expect(classifyRequest('POST', changed).access === 'read').toBe(isRead)
      }),
      { numRuns: 500 },
    )
  })
})
