import type { JsonEndpointId } from '../../../shared/bridge/endpoints/index.ts'

type ResponseShapeCase = readonly [id: JsonEndpointId, sent: unknown, read: object, from: readonly string[]]

const color = (r: number | string): object => ({ hex: '#FF0000', rgba: { r, g: 0, b: 0, a: 1 } })

/**
 * Response shapes that hosts may use where the documents leave the shape open. A case has the
 * response, the value that is read from it, and the conversions that the reader reports.
 */
export const responseShapes: readonly ResponseShapeCase[] = [
  // Study sets: other names of the list and its members, strings for numbers, ids for objects.
  [
    'studySets.list',
    { studySets: [{ topicid: 'T', noteCount: 3 }] },
    { studySets: [{ topicid: 'T', noteCount: 3 }] },
    [],
  ],
  ['studySets.list', { items: [{ topicid: 'T' }] }, { studySets: [{ topicid: 'T' }] }, ['list /items']],
  [
    'studySets.list',
    { topics: [{ id: 'T', name: 'N' }] },
    { studySets: [{ topicid: 'T', title: 'N' }] },
    ['list /topics', 'name /topics/*/id', 'name /topics/*/name'],
  ],
  [
    'studySets.list',
    [{ topicId: 'T', noteCount: '1234' }],
    { studySets: [{ topicid: 'T', noteCount: 1234 }] },
    ['list ', 'name /*/topicId', 'number /*/noteCount'],
  ],
  [
    'studySets.list',
    { studySets: ['T', 'U'] },
    { studySets: [{ topicid: 'T' }, { topicid: 'U' }] },
    ['bare-value /studySets/* x2'],
  ],
  ['studySets.list', { items: [] }, { studySets: [] }, ['list /items']],
  [
    'decks.list',
    { decks: [{ id: 'D', cardCount: '0' }] },
    { decks: [{ deckId: 'D', cardCount: 0 }] },
    ['name /decks/*/id', 'number /decks/*/cardCount'],
  ],
  [
    'decks.cards',
    { cards: [{ noteid: 'C', source: { noteid: 'S' }, sourceAlive: 'false' }] },
    {
      cards: [{ cardNoteId: 'C', sourceNoteId: 'S', sourceAlive: false }],
    },
    ['name /cards/*/noteid', 'name /cards/*/source/noteid', 'flag /cards/*/sourceAlive'],
  ],
  ['studySets.subMaps', ['R'], { subMaps: [{ noteid: 'R' }] }, ['bare-value /*']],
  [
    'studySets.subMaps',
    { maps: [{ rootNoteId: 'R', depth: '1', path: ['A'] }] },
    {
      subMaps: [{ noteid: 'R', depth: 1, parentPath: ['A'] }],
    },
    ['list /maps', 'name /maps/*/rootNoteId', 'name /maps/*/path', 'number /maps/*/depth'],
  ],
  [
    'studySets.hashtags',
    { nodes: [{ tag: '#a/b', cardCount: '2' }, 'c'] },
    {
      nodes: [{ path: '#a/b', cardCount: 2 }, { path: 'c' }],
    },
    ['name /nodes/*/tag', 'number /nodes/*/cardCount', 'bare-value /nodes/*'],
  ],
  [
    'studySets.snapshots',
    { items: [{ id: 's' }] },
    { snapshots: [{ snapshotId: 's' }] },
    ['list /items', 'name /items/*/id'],
  ],
  [
    'studySets.snapshots',
    ['s', 't'],
    { snapshots: [{ snapshotId: 's' }, { snapshotId: 't' }] },
    ['list ', 'bare-value /* x2'],
  ],
  ['studySets.notebooks', { items: [{ title: 'A' }] }, { notebooks: [{ title: 'A' }] }, ['list /items']],
  ['studySets.notebooks', ['n'], { notebooks: [{ id: 'n' }] }, ['list ', 'bare-value /*']],
  // The card listing, whose members the contract names.
  [
    'studySets.tree',
    { nodeTotal: '2', truncated: 'false', nodes: [{ noteid: 'A', depth: '1', childCount: '0', docPage: '3' }] },
    { nodeTotal: 2, truncated: false, nodes: [{ noteid: 'A', depth: 1, childCount: 0, docPage: 3 }] },
    [
      'flag /truncated',
      'number /nodeTotal',
      'number /nodes/*/childCount',
      'number /nodes/*/depth',
      'number /nodes/*/docPage',
    ],
  ],
  ['studySets.tree', { data: { nodes: [{ noteid: 'A' }] } }, { nodes: [{ noteid: 'A' }] }, ['wrapped /data']],
  ['studySets.documents', { documents: ['B'] }, { documents: [{ bookmd5: 'B' }] }, ['bare-value /documents/*']],
  [
    'studySets.documents',
    { documents: [{ md5: 'B', name: 'N', isMain: true, totalPages: '9' }] },
    {
      documents: [{ bookmd5: 'B', title: 'N', main: true, pageCount: 9 }],
    },
    [
      'name /documents/*/md5',
      'name /documents/*/name',
      'name /documents/*/isMain',
      'name /documents/*/totalPages',
      'number /documents/*/totalPages',
    ],
  ],
  [
    'documents.outline',
    { segments: [{ title: 'A', startPage: 3, level: 1 }] },
    { segments: [{ startPage: 3, level: 1 }] },
    [],
  ],
  [
    'documents.outline',
    { segments: [{ title: 'A', page: '3', depth: 1 }] },
    { segments: [{ startPage: 3, level: 1 }] },
    ['name /segments/*/page', 'number /segments/*/page', 'name /segments/*/depth'],
  ],
  [
    'documents.outline',
    { entries: [{ name: 'A', start: 3 }], pageTotal: 9 },
    {
      segments: [{ title: 'A', startPage: 3 }],
      pageCount: 9,
    },
    ['name /entries', 'name /entries/*/name', 'name /entries/*/start', 'name /pageTotal'],
  ],
  [
    'documents.pages',
    { pages: [{ index: 7, text: 'x' }] },
    { pages: [{ page: 7, text: 'x' }] },
    ['name /pages/*/index'],
  ],
  [
    'documents.pages',
    { pages: [{ pageNo: '7', content: 'x' }] },
    { pages: [{ page: 7, text: 'x' }] },
    ['name /pages/*/content', 'name /pages/*/pageNo', 'number /pages/*/pageNo'],
  ],
  ['documents.pages', ['one', 'two'], { pages: [{ text: 'one' }, { text: 'two' }] }, ['list ', 'bare-value /* x2']],
  [
    'documents.pageParts',
    { parts: ['c', { id: 'd', type: 'ink' }] },
    {
      parts: [{ contentId: 'c' }, { contentId: 'd', kind: 'ink' }],
    },
    ['bare-value /parts/*', 'name /parts/*/id', 'name /parts/*/type'],
  ],
  [
    'documents.pageParts',
    { parts: [{ contentPath: '/documents/B/pages/1/content/c', topicid: 'T' }] },
    { parts: [{ contentPath: '/documents/B/pages/1/content/c' }] },
    [],
  ],
  [
    'documents.tocCandidates',
    { items: [{ pageNo: '3', title: 'One', height: '12.5' }], pagesScanned: '60', nextStart: '61' },
    { candidates: [{ page: 3, text: 'One', height: 12.5 }], pagesScanned: 60, nextStart: 61 },
    [
      'list /items',
      'name /items/*/pageNo',
      'name /items/*/title',
      'number /items/*/height',
      'number /items/*/pageNo',
      'number /nextStart',
      'number /pagesScanned',
    ],
  ],
  ['documents.locate', { found: 'true', page: '3' }, { found: true, page: 3 }, ['flag /found', 'number /page']],
  [
    'studySets.printPreview',
    { pageCountEstimate: '1', pages: [{ visibleDepth: '2' }] },
    { pageCountEstimate: 1, pages: [{ visibleDepth: 2 }] },
    ['number /pageCountEstimate', 'number /pages/*/visibleDepth'],
  ],
  [
    'studySets.palette',
    {
      count: '1',
      colors: [{ colorIndex: '0', baseColor: color('255'), displayColor: color(255) }],
    },
    { count: 1, colors: [{ colorIndex: 0, baseColor: color(255), displayColor: color(255) }] },
    ['number /colors/*/baseColor/rgba/r', 'number /colors/*/colorIndex', 'number /count'],
  ],
  // The host's description of itself.
  [
    'status.get',
    { authorized: 'true', routeCount: '72' },
    { authorized: true, routeCount: 72 },
    ['flag /authorized', 'number /routeCount'],
  ],
  [
    'capabilities.get',
    { routes: [{ method: 'GET', path: '/guide', requiresMax: 'false' }] },
    { routes: [{ requiresMax: false }] },
    ['flag /routes/*/requiresMax'],
  ],
  // The documents and cards that the user has open.
  [
    'context.get',
    { selectedNotes: ['N'], focusedNote: 'F', documents: ['B'], studySet: 'T', currentPage: 3 },
    {
      selectedNotes: [{ noteid: 'N' }],
      focusedNote: { noteid: 'F' },
      documents: [{ bookmd5: 'B' }],
      studySet: { topicid: 'T' },
      currentPage: { page: 3 },
    },
    [
      'bare-value /currentPage',
      'bare-value /documents/*',
      'bare-value /focusedNote',
      'bare-value /selectedNotes/*',
      'bare-value /studySet',
    ],
  ],
  [
    'context.get',
    { topicid: 'T', selectedNoteIds: ['N'], focusnoteid: 'F', page: '4' },
    {
      studySet: { topicid: 'T' },
      selectedNotes: [{ noteid: 'N' }],
      focusedNote: { noteid: 'F' },
      currentPage: { page: 4 },
    },
    [
      'name /focusnoteid',
      'name /page',
      'name /selectedNoteIds',
      'name /topicid',
      'number /page',
      'bare-value /focusnoteid',
      'bare-value /page',
      'bare-value /selectedNoteIds/*',
      'bare-value /topicid',
    ],
  ],
  [
    'context.get',
    { studySet: { id: 'T', name: 'X' }, selectedNotes: [{ noteId: 'N' }], documents: [{ md5: 'B', isFocused: true }] },
    {
      studySet: { topicid: 'T', title: 'X' },
      selectedNotes: [{ noteid: 'N' }],
      documents: [{ bookmd5: 'B', focused: true }],
    },
    [
      'name /documents/*/isFocused',
      'name /documents/*/md5',
      'name /selectedNotes/*/noteId',
      'name /studySet/id',
      'name /studySet/name',
    ],
  ],
  [
    'bundles.list',
    { jobs: [{ id: 'b', status: 'preparing', progress: { done: '1', total: 2 } }] },
    {
      bundles: [{ bundleId: 'b', state: 'preparing', progress: { pagesDone: 1, pagesTotal: 2 } }],
    },
    [
      'list /jobs',
      'name /jobs/*/id',
      'name /jobs/*/progress/done',
      'name /jobs/*/progress/total',
      'name /jobs/*/status',
      'number /jobs/*/progress/done',
    ],
  ],
  [
    'sync.events',
    { items: [{ seq: 4 }], lastSequence: '9' },
    { events: [{ sequence: 4 }], lastSequence: 9 },
    ['list /items', 'name /items/*/seq', 'number /lastSequence'],
  ],
  // Lists at other depths, maps by id and lists of ids.
  [
    'search.get',
    { found: { documents: [{ bookmd5: 'B' }], notes: [{ noteid: 'N' }], facets: [{ word: 'x', count: 1 }] } },
    {
      hits: [
        { bookmd5: 'B', kind: 'documents' },
        { noteid: 'N', kind: 'notes' },
      ],
    },
    ['group /found/documents', 'group /found/notes'],
  ],
  [
    'search.get',
    { response: { matches: { list: [{ noteid: 'N' }] } }, scanned: 1 },
    { hits: [{ noteid: 'N' }], scanned: 1 },
    ['list /response/matches/list'],
  ],
  [
    'search.get',
    { hits: { 'A-1': { title: 'One' }, 'A-2': {} } },
    { hits: [{ id: 'A-1', title: 'One' }, { id: 'A-2' }] },
    ['group /hits'],
  ],
  [
    'search.get',
    { bridgeApiVersion: '0.91', 'NOTE-001': { title: 'One' }, 'NOTE-002': { title: 'Two' } },
    { hits: [{ id: 'NOTE-001' }, { id: 'NOTE-002' }] },
    ['group '],
  ],
  [
    'search.get',
    { found: { notes: { N: { text: 'x' } }, documents: ['B'] } },
    {
      hits: [
        { id: 'B', kind: 'documents' },
        { id: 'N', kind: 'notes' },
      ],
    },
    ['group /found/documents', 'group /found/notes'],
  ],
  ['search.get', ['N1', 'N2'], { hits: [{ id: 'N1' }, { id: 'N2' }] }, ['list ', 'bare-value /* x2']],
  ['search.get', { hits: ['N1'] }, { hits: [{ id: 'N1' }] }, ['bare-value /hits/*']],
  ['search.get', { found: { ids: ['N1'] } }, { hits: [{ id: 'N1' }] }, ['list /found/ids', 'bare-value /found/ids/*']],
  [
    'studySets.list',
    { library: { page: 1, sets: [{ topicid: 'T' }], recent: [{ when: 1 }] } },
    { studySets: [{ topicid: 'T' }] },
    ['list /library/sets'],
  ],
  [
    'studySets.documents',
    { documents: { B1: { title: 'One' } } },
    { documents: [{ bookmd5: 'B1', title: 'One' }] },
    ['group /documents', 'name /documents/*/id'],
  ],
  [
    'decks.list',
    { ids: ['D1', 'D2'] },
    { decks: [{ deckId: 'D1' }, { deckId: 'D2' }] },
    ['list /ids', 'bare-value /ids/* x2'],
  ],
  // Search hits in groups, and responses inside a wrapper.
  [
    'search.get',
    { cards: [{ id: 'N', title: 'A' }], documents: [{ id: 'B' }, { type: 'deck', id: 'D' }], scanned: 9 },
    {
      hits: [
        { kind: 'cards', id: 'N' },
        { kind: 'documents', id: 'B' },
        { type: 'deck', id: 'D' },
      ],
      scanned: 9,
    },
    ['group /cards', 'group /documents'],
  ],
  ['search.get', { notes: [], studySets: [] }, { hits: [] }, ['group /notes']],
  ['search.get', { hits: { cards: [{ id: 'N' }] } }, { hits: [{ kind: 'cards', id: 'N' }] }, ['group /hits/cards']],
  [
    'search.get',
    { data: { cards: [{ id: 'N' }], truncated: 'true' } },
    { hits: [{ kind: 'cards', id: 'N' }], truncated: true },
    ['group /data/cards', 'flag /data/truncated', 'wrapped /data'],
  ],
  [
    'studySets.list',
    { bridgeApiVersion: '0.5', data: { studySets: [{ topicid: 'T' }] } },
    { studySets: [{ topicid: 'T' }] },
    ['wrapped /data'],
  ],
  [
    'studySets.list',
    { result: { items: [{ id: 'T' }] } },
    { studySets: [{ topicid: 'T' }] },
    ['wrapped /result', 'list /result/items', 'name /result/items/*/id'],
  ],
  ['decks.list', { data: [{ deckId: 'D' }] }, { decks: [{ deckId: 'D' }] }, ['list /data']],
  [
    'context.get',
    { ok: true, result: { selectedNotes: ['N'], page: 3 } },
    { selectedNotes: [{ noteid: 'N' }], currentPage: { page: 3 } },
    ['wrapped /result', 'name /result/page', 'bare-value /result/page', 'bare-value /result/selectedNotes/*'],
  ],
  // A list under its documented name is read even if a wrapper beside it has another list.
  ['studySets.list', { studySets: [], data: { studySets: [{ topicid: 'T' }] } }, { studySets: [] }, []],
  // Members that the contract names keep their name; only a string that holds a number is
  // converted.
  ['notes.batchGet', { items: [{ noteId: 'N' }] }, { items: [{ noteid: 'N' }] }, ['name /items/*/noteId']],
  [
    'documents.excerpts',
    { items: [{ page: '3' }], total: '1' },
    { items: [{ page: 3 }], total: 1 },
    ['number /items/*/page', 'number /total'],
  ],
]
