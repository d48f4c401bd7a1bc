/** A write as the public documents have it: its members, and a request to it. */
export interface DocumentedWrite {
  /** Members of the body, in dotted names, besides `confirm`. */
  readonly members: readonly string[]
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body: Readonly<Record<string, unknown>>
}

const set = { topicid: 'T' }
const card = { noteid: 'N' }
const comment = { noteid: 'N', index: '2' }
const book = { bookmd5: 'B' }
const setAndBook = { ...set, ...book }
const deck = { deckId: 'D' }
const bundle = { bundleId: 'U' }
const withoutMembers = { members: [], body: {} }
const session = { requestId: 'R', runId: 'run', questionId: 'N', carrier: 'focus' }

/** By row: observed-0.49 §1 to §11 and spec-0.91 §4, written down from the documents alone. */
export const documentedWrites: Readonly<Record<string, DocumentedWrite>> = {
  'mcp.post': {
    members: ['jsonrpc', 'id', 'method', 'params'],
    body: { jsonrpc: '2.0', id: '1', method: 'tools/call', params: { name: 'mn_guide' } },
  },
  'uiState.apply': { members: ['state'], body: { state: { theme: 'dark', panelratio: 0.4 } } },
  'studySets.create': { members: ['title'], body: { title: 'Biology' } },
  'library.deleteDocument': { ...withoutMembers, params: book },
  'studySets.addDocuments': { members: ['bookmd5'], params: set, body: book },
  'studySets.removeDocument': { ...withoutMembers, params: setAndBook },
  'studySets.createSnapshot': { members: ['description'], params: set, body: { description: 'before' } },
  'studySets.open': { members: ['bookmd5'], params: set, body: book },
  'studySets.delete': {
    members: ['expectedTitle', 'keepHighlights', 'keepSnapshotHistory'],
    params: set,
    body: { expectedTitle: 'Biology', keepHighlights: false, keepSnapshotHistory: true },
  },
  'studySets.printExport': {
    members: ['plan', 'fileName'],
    params: set,
    body: { plan: { schema: 'mn.mindMapPrintPlan.v0', pages: [], planFingerprint: 'f' }, fileName: 'map.pdf' },
  },
  'snapshots.restore': { members: ['force'], params: { snapshotId: 'P' }, body: { force: true } },
  'decks.create': { members: ['title'], body: { title: 'Cells' } },
  'decks.addCards': {
    members: ['cards'],
    params: deck,
    body: { cards: [{ sourceNoteId: 'N', question: 'The {{cell}}', title: 'Q' }, { sourceNoteId: 'M' }] },
  },
  'decks.open': { ...withoutMembers, params: deck },
  'documents.toc': {
    members: ['entries', 'useOriginal', 'useAI'],
    params: book,
    body: { entries: [{ title: 'One', page: 1, level: 0, anchor: { y: 0.5 } }] },
  },
  'documents.export': {
    members: ['topicid', 'selectedPageNos', 'includeRelatedBlankPages'],
    params: book,
    body: { topicid: 'T', selectedPageNos: [1, 2], includeRelatedBlankPages: false },
  },
  'bundles.prepare': {
    members: [
      ...['topicid', 'bookmd5', 'segments', 'preset', 'anchorMode', 'title', 'cardStyle.defaultFillIndex', 'async'],
    ],
    body: {
      topicid: 'T',
      bookmd5: 'B',
      segments: [{ startPage: 1, endPage: 4, title: 'One' }],
      preset: 'exam-general',
      anchorMode: 'block',
      title: 'A job',
      cardStyle: { defaultFillIndex: 2 },
      async: true,
    },
  },
  'bundles.submit': {
    members: ['targetParentNoteId', 'withBlank', 'excerptMode', 'resultMarkdown', 'force'],
    params: bundle,
    body: { targetParentNoteId: 'N', withBlank: true, excerptMode: 'link', resultMarkdown: '# One' },
  },
  'bundles.focus': { ...withoutMembers, params: bundle },
  'bundles.discard': { ...withoutMembers, params: bundle },
  'sync.recheck': { members: ['database', 'documents'], body: { database: true, documents: false } },
  'sync.inventory': withoutMembers,
  'notes.hashtags': {
    members: ['noteIds', 'operation', 'hashtags', 'includeDescendants'],
    body: { noteIds: ['N'], operation: 'remove', hashtags: ['#a/b'], includeDescendants: true },
  },
  'notes.metadata': {
    members: ['noteIds', 'patch.colorIndex', 'patch.fillIndex'],
    body: { noteIds: ['N'], patch: { colorIndex: 11, fillIndex: 2 } },
  },
  'notes.move': {
    members: ['noteIds', 'targetParentNoteId', 'moves'],
    body: { noteIds: ['N', 'M'], targetParentNoteId: 'P' },
  },
  'notes.copy': {
    members: ['noteIds', 'targetParentNoteId', 'mode', 'copies'],
    body: { copies: [{ noteIds: ['N'], targetParentNoteId: 'P', mode: 'clone' }] },
  },
  'notes.delete': { members: ['noteIds'], body: { noteIds: ['N'] } },
  'notes.fold': { members: ['noteIds', 'folded'], body: { noteIds: ['N'], folded: false } },
  'notes.imageOcclusions': {
    members: [...['coordinateSpace', 'operation', 'masks', 'expectedSourceFingerprint', 'expectedMaskFingerprint']],
    params: card,
    body: {
      coordinateSpace: 'normalized',
      operation: 'add',
      masks: [{ rect: { x: 0.1, y: 0.2, width: 0.3, height: 0.1 }, group: 'a', isText: true }],
      expectedSourceFingerprint: 's',
      expectedMaskFingerprint: 'm',
    },
  },
  'notes.title': {
    members: ['text', 'expectedPrefix', 'markdown'],
    params: card,
    body: { text: 'New', expectedPrefix: '', markdown: true },
  },
  'notes.text': {
    members: ['text', 'expectedPrefix', 'markdown'],
    params: card,
    body: { text: 'New', expectedPrefix: 'Old' },
  },
  'notes.comments': { members: ['text'], params: card, body: { text: 'marginnote4app://note/M' } },
  'notes.comment': {
    members: ['text', 'expectedPrefix'],
    params: comment,
    body: { text: 'New', expectedPrefix: 'Old' },
  },
  'notes.deleteComment': { members: ['expectedPrefix'], params: comment, body: { expectedPrefix: 'Old' } },
  'notes.mergeBranch': { members: ['recursive'], params: card, body: { recursive: true } },
  'notes.foldIntoSubMap': { members: ['undo'], params: card, body: { undo: true } },
  'notes.focus': { members: ['topicid'], params: card, body: set },
  'notes.blankBands': { members: ['role', 'height'], params: card, body: { role: 'practice', height: 240 } },
  'notes.practiceVerdict': {
    members: ['commentId', 'expectedRevision', 'practice.topic', 'self', 'reason', 'addon'],
    params: card,
    body: { commentId: 'C', expectedRevision: '4', practice: { topic: 'T' }, self: 'again', reason: 'careless' },
  },
  'writing.sessionFocusBegin': { members: ['requestId', 'runId', 'questionId', 'carrier'], body: session },
  'writing.sessionReserve': { members: ['requestId', 'runId', 'questionId', 'carrier'], body: session },
  'writing.sessionPause': { members: ['requestId', 'runId'], body: { requestId: 'R', runId: 'run' } },
  'writing.pencilCommit': {
    members: ['surfaceId', 'requestId', 'target.topicid', 'target.noteid', 'target.layerId'],
    body: { surfaceId: 'S', requestId: 'R', target: { topicid: 'T', noteid: 'N', layerId: '' } },
  },
}
