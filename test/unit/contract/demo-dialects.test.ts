import { describe, expect, it, onTestFinished } from 'vitest'
import { dialectTraits, type DialectName } from '../../../electron/demo-host/dialects/index.ts'
import { toJudgedExchange } from '../../../electron/services/contract/exchange-facts.ts'
import { endpoints, getEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { capabilitiesSchema } from '../../../shared/bridge/resources/state.ts'
import { judgeExchange, toHostFacts } from '../../../electron/core/contract/exchange-judge.ts'
import { startDemo, type DemoRequest } from '../../support/hosts/demo.ts'

/** Starts a demo host and returns a function that sends a request and lists the deviations. */
async function startJudgedHost(dialect: DialectName | undefined) {
  const demo = await startDemo({ ...(dialect ? { dialect } : {}), stepMs: 10 })
  onTestFinished(() => demo.host.close())
  const facts = toHostFacts(capabilitiesSchema.parse((await demo.ask('capabilities.get')).json))
  async function listDeviations(id: string, request: DemoRequest, path = '') {
    const { status, type, bytes } = await demo.ask(id, request)
    const requestBytes = request.body === undefined ? null : Buffer.from(JSON.stringify(request.body))
    const { method } = getEndpointById(id)
    const query = new URLSearchParams(Object.entries(request.query ?? {}).map(([name, value]) => [name, String(value)]))
    const exchange = toJudgedExchange(
      { method, path: `${path}?${query}`, endpoint: id, mediaType: type.split(';')[0] ?? '', status },
      { bytes: requestBytes, isWhole: true },
      { bytes, isWhole: true },
    )
    const { deviations, isBodyJudged } = judgeExchange(exchange, facts)
    expect([id, isBodyJudged]).toEqual([id, true])
    return deviations.map(({ kind, pointer, expected, actual }) => `${id} ${kind} ${pointer}: ${expected} / ${actual}`)
  }
  return { ...demo, listDeviations }
}

const dialects: readonly (DialectName | undefined)[] = [undefined, ...(Object.keys(dialectTraits) as DialectName[])]

describe.each(dialects)('the demo host in dialect %s', (dialect) => {
  it('has no deviation in any read', async () => {
    const { host, listDeviations } = await startJudgedHost(dialect)
    const { library } = host.state
    const cards = [...library.cards.values()]
    const masked = cards.find(({ parts }) => parts.some(({ masks }) => masks))
    const book = [...library.books.values()].find(({ pages }) => pages.some(({ parts }) => parts.length > 0))
    const page = book?.pages.findIndex(({ parts }) => parts.length > 0) ?? 0
    const [set] = library.sets
    Object.assign(host.state.openState, { topicid: set?.topicid, bookmd5: book?.bookmd5, noteid: masked?.noteid })
    const values: Readonly<Record<string, string>> = {
      topicid: set?.topicid ?? '',
      noteid: masked?.noteid ?? '',
      bookmd5: book?.bookmd5 ?? '',
      index: String(page + 1),
      deckId: library.decks[0]?.deckId ?? '',
      bundleId: 'bundle-1',
    }
    const contentIds = {
      'notes.content': masked?.parts.find(({ masks }) => masks)?.contentId ?? '',
      'documents.pageContent': book?.pages[page]?.parts[0]?.contentId ?? '',
    } as Readonly<Record<string, string>>
    const bodies: Readonly<Record<string, object>> = {
      'notes.batchGet': { noteIds: cards.slice(0, 150).map(({ noteid }) => noteid) },
      'studySets.printPreview': { mode: 'keepStructure', densityValue: 0.4 },
      'documents.locate': { text: 'the', page: 1 },
    }
    const deviations: string[] = []
    for (const { id, access, parameters, body } of endpoints) {
      if (access !== 'read' || id === 'writing.pencilResult') continue
      const params: Record<string, string> = {}
      const query: Record<string, string> = {}
      for (const { in: place, name, required } of parameters) {
        if (place === 'path') params[name] = values[name] ?? contentIds[id] ?? ''
        else if (required) query[name] = 'a'
      }
      deviations.push(...(await listDeviations(id, { params, query, ...(body ? { body: bodies[id] ?? {} } : {}) })))
    }
    const { topicid = '', bookmd5 = '' } = values
    const generated = { topicid: host.state.generatedSet.topicid }
    const contentRequest = { params: { ...values, contentId: contentIds['notes.content'] ?? '' } }
    const more: readonly (readonly [string, DemoRequest])[] = [
      ['studySets.tree', { params: generated, query: { limit: 600 } }],
      ['studySets.tree', { params: generated, query: { sort: 'document' } }],
      ['studySets.tree', { params: { topicid }, query: { sort: 'document' } }],
      ['studySets.tree', { params: { topicid }, query: { withNotes: 1 } }],
      ['studySets.hashtags', { params: { topicid }, query: { withNotes: 1 } }],
      ['documents.excerpts', { params: { bookmd5 }, query: { duplicatesOnly: 1 } }],
      ['documents.pages', { params: { bookmd5 }, query: { start: 1, end: 2, blocks: 1 } }],
      [
        'notes.content',
        {
          params: { noteid: values['noteid'] ?? '', contentId: contentRequest.params.contentId },
          query: { maxEdge: 64 },
        },
      ],
    ]
    for (const [id, request] of more) deviations.push(...(await listDeviations(id, request)))
    expect(deviations).toEqual([])
  })

  it('has no deviation in the writes whose responses the contract shows', async () => {
    const { host, listDeviations } = await startJudgedHost(dialect)
    const [set] = host.state.library.sets
    const card = set?.cards.find(({ practice }) => practice.length > 0) ?? set?.cards[3]
    const { noteid = '', revision = '' } = card ?? {}
    const topicid = set?.topicid ?? ''
    Object.assign(host.state.openState, { topicid, noteid })
    const session = { requestId: 'r1', runId: 'run', questionId: 'q', carrier: 'focus', confirm: true }
    const writes: readonly (readonly [string, DemoRequest])[] = [
      ['writing.sessionFocusBegin', { body: session }],
      ['writing.sessionReserve', { body: { ...session, requestId: 'r2' } }],
      ['writing.sessionPause', { body: { requestId: 'r3', runId: 'run', confirm: true } }],
      [
        'writing.pencilCommit',
        { body: { surfaceId: 's', requestId: 'r4', target: { topicid, noteid, layerId: '' }, confirm: true } },
      ],
      ['writing.pencilResult', { body: { requestId: 'r4' } }],
      ['notes.blankBands', { params: { noteid }, body: { role: 'practice', height: 120, confirm: true } }],
      [
        'notes.practiceVerdict',
        {
          params: { noteid },
          body: {
            ...{
              commentId: 'c',
              expectedRevision: revision,
              self: 'again',
              reason: 'careless',
              addon: 'demo',
              confirm: true,
            },
            practice: { topic: topicid },
          },
        },
      ],
      ['decks.create', { body: { title: 'D', confirm: true } }],
      ['notes.title', { params: { noteid }, body: { text: 'T', confirm: true } }],
    ]
    const deviations: string[] = []
    for (const [id, request] of writes) deviations.push(...(await listDeviations(id, request)))
    expect(deviations).toEqual([])
  })
})
