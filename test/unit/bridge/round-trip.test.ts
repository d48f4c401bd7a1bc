import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint, EndpointParameter } from '../../../shared/bridge/endpoints/endpoint.ts'
import { canEscapeFolder } from '../../../shared/bridge/endpoints/path-template.ts'
import { endpoints, classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../../electron/services/bridge/client/request-path.ts'

/** Everything in the two contracts that is not a read. */
const writes =
  `/library/study-sets /study-sets/{}/documents /study-sets/{}/delete /study-sets/{}/snapshots /study-sets/{}/open
/snapshots/{}/restore /notes/hashtags /notes/metadata /notes/move /notes/copy /notes/delete /notes/fold /notes/{}/title
/notes/{}/text /notes/{}/comments /notes/{}/comments/{} /notes/{}/comments/{}/delete /notes/{}/merge-branch
/notes/{}/fold-into-sub-map /notes/{}/image-occlusions /notes/{}/blank-bands /notes/{}/practice-verdict /notes/{}/focus
/documents/{}/toc /decks /decks/{}/cards /decks/{}/open /bundles/{}/submit /ui-state/apply /writing/session-focus-begin
/writing/session-reserve /writing/session-pause /writing/pencil-commit /pair /library/documents/upload /library/documents/{}/delete
/study-sets/{}/documents/{}/delete /study-sets/{}/mindmap-print/export /documents/{}/export /bundles/prepare /bundles/{}/discard
/bundles/{}/focus /sync/legacy/recheck /sync/legacy/inventory /install /install/code /mcp`.split(/\s+/)

const unconfirmed =
  `bundles.discard bundles.focus bundles.prepare bundles.submit decks.open documents.export install.code install.get mcp.post
notes.focus pair.post studySets.createSnapshot studySets.open studySets.printExport sync.inventory sync.recheck uiState.apply`.split(
    /\s+/,
  )

const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => one !== '.' && one !== '..')

/** A path inside a bundle: one that leads out is refused, and has its own tests. */
const inside = text.filter((one) => !canEscapeFolder(one))

function valueOf({ type, values, min, max, relativePath }: EndpointParameter): fc.Arbitrary<string> {
  if (relativePath) return inside
  if (type === 'enum') return fc.constantFrom(...(values ?? []))
  if (type === 'integer') return fc.integer({ min: min ?? -1_000, max: max ?? 1_000_000 }).map(String)
  return text
}

/** Values for every path parameter and for some of the query. */
function valuesOf(row: Endpoint) {
  const record = (place: EndpointParameter['in'], some: boolean) => {
    const parameters = row.parameters.filter((one) => one.in === place)
    const shape = Object.fromEntries(parameters.map((one) => [one.name, valueOf(one)]))
    return fc.record(shape, some ? { requiredKeys: parameters.filter((p) => p.required).map((p) => p.name) } : {})
  }
  return fc.record({ params: record('path', false), query: record('query', true) })
}

describe('the endpoint table', () => {
  it('holds every write of the contract, and no other', () => {
    const rows = endpoints.filter(({ access }) => access !== 'read')
    expect(rows.map(({ path }) => path.replace(/\{\w+\}/g, '{}')).sort()).toEqual([...writes].sort())
    // The installation script is the one GET that does something: it uses up a code.
    const odd = rows.filter(({ method, body, isUpload: upload }) => method !== 'POST' || (body === null && !upload))
    expect(odd.map(({ id }) => id)).toEqual(['install.get'])
  })

  it('asks for confirm everywhere except where the contract has no gate', () => {
    const rows = endpoints.filter(({ access, confirm }) => access !== 'read' && confirm === 'none')
    expect(rows.map(({ id }) => id).sort()).toEqual(unconfirmed)
    expect(endpoints.filter(({ access }) => access === 'read').every(({ confirm }) => confirm === 'none')).toBe(true)
  })

  it('every body of a confirmed write accepts confirm, keeps unknown members, and refuses a text as confirm', () => {
    for (const { id, body } of endpoints.filter(({ confirm }) => confirm === 'body')) {
      const issues = body?.safeParse({ confirm: 'true' }).error?.issues ?? []
      expect(
        issues.some(({ path }) => path.join() === 'confirm'),
        id,
      ).toBe(true)
    }
  })

  it('safety 40: what is built for a row is classified as that row, whatever the values are', () => {
    for (const row of endpoints) {
      fc.assert(
        fc.property(valuesOf(row), ({ params, query }) => {
          const path = buildPath(row, params, query)
          const found = classifyRequest(row.method, path)
          expect(found.endpoint?.id).toBe(row.id)
          expect(found.access).toBe(row.access)
          expect(found.params).toEqual({ ...params })
          const sent = new URLSearchParams(path.split('?')[1] ?? '')
          expect(Object.fromEntries(sent)).toEqual({ ...query })
        }),
        { numRuns: 40 },
      )
    }
  })

  it('safety 40: a value never crosses a slash', () => {
    for (const { method, path } of endpoints) {
      if (!path.includes('{')) continue
      const longer = path.replace(/\{\w+\}/, 'a/b').replace(/\{\w+\}/g, 'c')
      const exact = endpoints.some((row) => row.method === method && row.path === longer)
      const found = classifyRequest(method, longer).endpoint
      if (!exact && found) expect(found.path.split('/').length, longer).toBe(longer.split('/').length)
      expect(classifyRequest(method, `${longer}/more/and/more`).endpoint, longer).toBeNull()
    }
  })

  it('safety 40: a POST is a read only if the table says exactly that', () => {
    const reads = new Set(['/notes/batch-get', '/writing/pencil-result'])
    fc.assert(
      fc.property(fc.constantFrom(...reads), text, fc.nat(40), (path, noise, at) => {
        const changed = path.slice(0, at) + noise + path.slice(at)
        const bare = changed.split('?', 1)[0] ?? ''
        const isRead =
          reads.has(bare) || /^\/documents\/[^/]+\/locate$|^\/study-sets\/[^/]+\/mindmap-print\/preview$/.test(bare)
        expect(classifyRequest('POST', changed).access === 'read').toBe(isRead)
      }),
      { numRuns: 500 },
    )
  })
})
