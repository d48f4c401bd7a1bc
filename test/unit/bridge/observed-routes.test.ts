import { describe, expect, it, test } from 'vitest'
import { getRowAccess } from '../../../shared/bridge/row-access.ts'
import { getEndpoint, endpoints } from '../../../shared/bridge/endpoints/index.ts'

/**
 * The 72 routes of the bridge at version 0.49, as publicly documented: section, method, path
 * with nameless placeholders, and marks. M: needs the subscription, C: requires `confirm` in
 * the JSON body, D: has a documented dry run.
 */
const observedText = `1 GET /status
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

const observedRoutes = observedText.split('\n').map((line) => {
  const [section = '', method = '', path = '', marks = ''] = line.split(' ')
  return { section, method, path, marks }
})

const removePlaceholderNames = (path: string): string => path.replace(/\{[^}]*\}/g, '{}')
const findRow = (method: string, path: string) =>
  endpoints.find((row) => row.method === method && removePlaceholderNames(row.path) === path)

describe('the 72 routes of version 0.49', () => {
  it('are exactly 72', () => {
    expect(new Set(observedRoutes.map(({ method, path }) => `${method} ${path}`)).size).toBe(72)
  })

  test.each(observedRoutes)('include $method $path in the endpoint table', ({ section, method, path, marks }) => {
    const row = findRow(method, path)
    expect(row?.spec).toMatch(new RegExp(`observed §${section}$`))
    expect(row?.requiresMax).toBe(marks.includes('M'))
    const confirmPlace = marks.includes('C') ? 'body' : path.endsWith('/upload') ? 'query' : 'none'
    expect(row?.confirm).toBe(confirmPlace)
    expect(row?.dryRun === true).toBe(marks.includes('D'))
    // A route that needs the subscription writes, and one that does not need it never writes.
    // The exception is the MCP channel, which can call any tool.
    if (row?.id !== 'mcp.post') expect(row?.access === 'write').toBe(marks.includes('M'))
    expect(row?.outcome === null).toBe(row?.access === 'read')
  })

  it('leave only rows that name the later contract as their source', () => {
    const observed = new Set(observedRoutes.map(({ method, path }) => `${method} ${path}`))
    const otherRows = endpoints.filter(({ method, path }) => !observed.has(`${method} ${removePlaceholderNames(path)}`))
    expect(otherRows.every(({ id, spec }) => spec.startsWith('spec §') || id === 'pair.post')).toBe(true)
    expect(otherRows.filter(({ access }) => access !== 'read').every(({ requiresMax }) => requiresMax !== true)).toBe(
      true,
    )
  })

  it('have the list limits', () => {
    const maxByList = Object.fromEntries(
      endpoints.flatMap(({ id, limits }) => limits.map((limit) => [`${id} ${limit.member}`, limit.max])),
    )
    expect(maxByList).toEqual({
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

  it('include three that wait for approval if another device calls them', () => {
    expect(
      endpoints
        .filter(({ needsApproval: approval }) => approval)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/notes/delete', '/snapshots/{snapshotId}/restore', '/study-sets/{topicid}/delete'])
  })

  it('classify reading with scrolling as navigation', () => {
    const row = getEndpoint('documents.locate')
    expect(getRowAccess(row, { text: 'a', page: 1 })).toBe('read')
    expect(getRowAccess(row, { text: 'a', page: 1, navigate: false })).toBe('read')
    for (const navigate of [true, 1, 'true', {}])
      expect(getRowAccess(row, { navigate }), String(navigate)).toBe('navigate')
  })
})
