import { describe, expect, it, test } from 'vitest'
import { accessOf } from '../../../shared/bridge/access.ts'
import { endpoint, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { observedRoutes } from '../../support/observed-routes.ts'

const nameless = (path: string): string => path.replace(/\{[^}]*\}/g, '{}')
const rowOf = (method: string, path: string) =>
  endpoints.find((row) => row.method === method && nameless(row.path) === path)

describe('the 72 routes of version 0.49', () => {
  it('are 72', () => {
    expect(new Set(observedRoutes.map(({ method, path }) => `${method} ${path}`)).size).toBe(72)
  })

  test.each(observedRoutes)('$method $path has its row', ({ section, method, path, marks }) => {
    const row = rowOf(method, path)
    expect(row?.spec).toMatch(new RegExp(`observed §${section}$`))
    expect(row?.requiresMax).toBe(marks.includes('M'))
    const gate = marks.includes('C') ? 'body' : path.endsWith('/upload') ? 'query' : 'none'
    expect(row?.confirm).toBe(gate)
    expect(row?.dryRun === true).toBe(marks.includes('D'))
    // A route that needs the subscription writes; one that doesn't never writes, except the channel that can call anything.
    if (row?.id !== 'mcp.post') expect(row?.access === 'write').toBe(marks.includes('M'))
    expect(row?.outcome === null).toBe(row?.access === 'read')
  })

  it('other rows say they belong to the later contract, or not to the 72', () => {
    const known = new Set(observedRoutes.map(({ method, path }) => `${method} ${path}`))
    const more = endpoints.filter(({ method, path }) => !known.has(`${method} ${nameless(path)}`))
    expect(more.every(({ id, spec }) => spec.startsWith('spec §') || id === 'pair.post')).toBe(true)
    expect(more.filter(({ access }) => access !== 'read').every(({ requiresMax }) => requiresMax !== true)).toBe(true)
  })

  it('list limits are in their rows', () => {
    const most = Object.fromEntries(
      endpoints.flatMap(({ id, limits }) => limits.map((one) => [`${id} ${one.member}`, one.max])),
    )
    expect(most).toEqual({
      'notes.batchGet noteIds': 200,
      'notes.hashtags noteIds': 200,
      'notes.hashtags hashtags': 100,
      'notes.metadata noteIds': 200,
      'notes.move noteIds': 50,
      'notes.move moves.noteIds': 50,
      'notes.copy noteIds': 50,
      'notes.copy copies.noteIds': 50,
      'notes.delete noteIds': 50,
      'notes.fold noteIds': 200,
      'notes.imageOcclusions masks': 200,
      'decks.addCards cards': 50,
    })
  })

  it('three routes wait for approval when another device asks', () => {
    expect(
      endpoints
        .filter(({ approval }) => approval)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/notes/delete', '/snapshots/{snapshotId}/restore', '/study-sets/{topicid}/delete'])
  })

  it('a read that scrolls is not a read', () => {
    const row = endpoint('documents.locate')
    expect(accessOf(row, { text: 'a', page: 1 })).toBe('read')
    expect(accessOf(row, { text: 'a', page: 1, navigate: false })).toBe('read')
    for (const navigate of [true, 1, 'true', {}]) expect(accessOf(row, { navigate }), String(navigate)).toBe('navigate')
  })
})
