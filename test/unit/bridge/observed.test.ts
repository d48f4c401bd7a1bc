import { describe, expect, it, test } from 'vitest'
import { getRowAccess } from '../../../shared/bridge/row-access.ts'
import { getEndpoint, endpoints } from '../../../shared/bridge/endpoints/index.ts'

/**
 * The 72 routes of the bridge at version 0.49, as publicly documented: section, method, path with
 * nameless placeholders, and marks: M = needs the subscription, C = wants `confirm` in the JSON
 * body, D = a documented dry run.
 */
const text = `1 GET /status
1 GET /capabilities
1 GET /guide
1 GET /context
1 GET /install
1 POST /install/code
1 POST /mcp
2 GET /library/study-sets
2 POST /library/study-sets MC
2 POST /library/documents/upload M
2 POST /library/documents/{}/delete MC
2 GET /library/folders
3 GET /study-sets/{}/documents
3 POST /study-sets/{}/documents MC
3 POST /study-sets/{}/documents/{}/delete MC
3 POST /study-sets/{}/open
3 GET /study-sets/{}/tree
3 GET /study-sets/{}/sub-maps
3 GET /study-sets/{}/snapshots
3 POST /study-sets/{}/snapshots M
3 POST /study-sets/{}/delete MC
3 GET /study-sets/{}/notebooks
3 GET /study-sets/{}/hashtags
3 GET /study-sets/{}/note-palette
3 POST /study-sets/{}/mindmap-print/preview
3 POST /study-sets/{}/mindmap-print/export
4 GET /documents/{}/outline
4 GET /documents/{}/pages
4 GET /documents/{}/pages/{}/parts
4 GET /documents/{}/pages/{}/content/{}
4 GET /documents/{}/toc-candidates
4 POST /documents/{}/toc MCD
4 POST /documents/{}/locate
4 POST /documents/{}/export
4 GET /documents/{}/sync-status
5 POST /notes/batch-get
5 POST /notes/hashtags MC
5 POST /notes/metadata MC
5 POST /notes/move MC
5 POST /notes/copy MCD
5 POST /notes/delete MCD
5 POST /notes/fold MC
5 GET /notes/{}/content/{}
5 GET /notes/{}/render
5 POST /notes/{}/image-occlusions MCD
5 POST /notes/{}/title MC
5 POST /notes/{}/text MC
5 POST /notes/{}/comments MC
5 POST /notes/{}/comments/{} MC
5 POST /notes/{}/comments/{}/delete MC
5 POST /notes/{}/merge-branch MC
5 POST /notes/{}/fold-into-sub-map MC
5 POST /notes/{}/focus
6 GET /decks
6 POST /decks MC
6 GET /decks/{}/cards
6 POST /decks/{}/cards MC
6 POST /decks/{}/open
7 POST /bundles/prepare
7 GET /bundles
7 GET /bundles/{}/files
7 POST /bundles/{}/submit M
7 POST /bundles/{}/focus
7 POST /bundles/{}/discard
8 POST /snapshots/{}/restore MCD
9 GET /search
10 GET /sync/legacy/status
10 GET /sync/legacy/events
10 POST /sync/legacy/recheck
10 POST /sync/legacy/inventory
11 GET /ui-state
11 POST /ui-state/apply M`

const observedRoutes = text.split('\n').map((line) => {
  const [section = '', method = '', path = '', marks = ''] = line.split(' ')
  return { section, method, path, marks }
})

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
    // A route that needs the subscription writes; one that doesn't never writes, except the channel
    // that can call anything.
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
        .filter(({ needsApproval: approval }) => approval)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/notes/delete', '/snapshots/{snapshotId}/restore', '/study-sets/{topicid}/delete'])
  })

  it('a read that scrolls is not a read', () => {
    const row = getEndpoint('documents.locate')
    expect(getRowAccess(row, { text: 'a', page: 1 })).toBe('read')
    expect(getRowAccess(row, { text: 'a', page: 1, navigate: false })).toBe('read')
    for (const navigate of [true, 1, 'true', {}])
      expect(getRowAccess(row, { navigate }), String(navigate)).toBe('navigate')
  })
})
