import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import type { RawEntry } from '../../../../electron/services/traffic/entry.ts'
import type { IpcInput, IpcOutput } from '../../../../shared/ipc/index.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { addAll, createBody, createEntry, openDiskStore } from '../../../support/services/traffic.ts'

const page = { bridgeApiVersion: '0.91', nodes: [{ noteid: 'A' }] }
const TREE = { endpoint: 'studySets.tree', path: '/study-sets/T/tree', template: '/study-sets/{topicid}/tree' }
const DAY_MS = 86_400_000

/** A page of the card listing, with other members. */
const createPage = (members: object = {}, row: Partial<RawEntry['row']> = {}): RawEntry =>
  createEntry({ row: { ...TREE, ...row }, response: createBody(JSON.stringify({ ...page, ...members })) })

/** A list judges for a moment only; a busy machine needs several. */
function listJudged(contract: ReturnType<typeof openDiskStore>['store']['contract']) {
  while (contract.judgeNew(1000));
  return contract.list()
}

const summarize = ({ deviations }: IpcOutput<'contract.deviations'>) =>
  deviations.map(({ kind, pointer, count, exchangeCount, hostVersions, sampleSeq }) => [
    `${kind} ${pointer}`,
    ...[count, exchangeCount, hostVersions.join(), sampleSeq],
  ])

describe('deviations of recorded exchanges', () => {
  it('are grouped, and outlive the program together with what is muted and marked', () => {
    const dir = createTempDir()
    const opened = openDiskStore(dir)
    addAll(opened, [
      createPage(),
      createPage({ extra: 1, nodes: [{ noteid: 1 }, { noteid: 2 }] }),
      createPage({ extra: 'x', bridgeApiVersion: '0.92' }),
      createPage({ extra: 1 }, { rule: 'my rule' }),
      createPage({ extra: 1 }, { state: 'failed' }),
    ])
    const { contract } = opened.store
    const before = listJudged(contract)
    expect(summarize(before)).toEqual([
      ['unknown-member /extra', 2, 2, '0.91,0.92', 3],
      ['wrong-type /nodes/*/noteid', 2, 1, '0.91', 2],
    ])
    expect(before).toMatchObject({ judgedExchanges: 3, skippedExchanges: 2, unjudgedExchanges: 0, isCurrent: true })
    expect(before.deviations[0]).toMatchObject({ actual: 'number, string', example: '"x"', isNew: false, muted: null })
    contract.mark(5)
    contract.mute(before.deviations[1]?.id ?? '', { reason: 'known', at: 7 })
    addAll(opened, [createPage({ later: true })])
    opened.store.close()

    const reopened = openDiskStore(dir)
    const after = listJudged(reopened.store.contract)
    expect(after.markedAt).toBe(5)
    expect(after.deviations.map(({ pointer, isNew, muted }) => [pointer, isNew, muted?.reason])).toEqual([
      ['/later', true, undefined],
      ['/extra', false, undefined],
      ['/nodes/*/noteid', false, 'known'],
    ])
    const { id } = after.deviations[2] ?? { id: '' }
    reopened.store.contract.mute(id, null)
    expect(listJudged(reopened.store.contract).deviations[2]?.muted).toBeNull()
    reopened.store.close()
  })

  it('are judged again in parts, and replaced only by the last part', () => {
    const opened = openDiskStore(createTempDir())
    addAll(opened, [createPage({ extra: 1 }), createPage({ extra: 1 })])
    const { contract } = opened.store
    const before = summarize(listJudged(contract))
    opened.database.exec("UPDATE deviations SET deviation = json_set(deviation, '$.count', 99)")
    const part = contract.judgeAgain(0)
    expect(part).toEqual({ judged: 2, lastSeq: 2, left: 0, isWhole: true })
    expect(summarize(listJudged(contract))).toEqual(before)
    expect(opened.database.prepare("SELECT json_extract(deviation, '$.count') AS count FROM deviations").all()).toEqual(
      [{ count: 2 }],
    )
    // Another page that was judging finds its run finished.
    expect(contract.judgeAgain(1)).toMatchObject({ judged: 0, isWhole: true })
    opened.store.close()
  })

  it('keep their history when their exchanges are removed, and begin anew when everything is cleared', () => {
    const opened = openDiskStore(createTempDir())
    addAll(opened, [createPage({ extra: 1 })])
    listJudged(opened.store.contract)
    opened.database.exec('DELETE FROM exchanges')
    opened.store.contract.onExchangesRemoved()
    expect(summarize(listJudged(opened.store.contract))).toEqual([['unknown-member /extra', 1, 1, '0.91', null]])
    expect(
      opened.database.prepare("SELECT json_extract(deviation, '$.example') AS example FROM deviations").all(),
    ).toEqual([{ example: null }])
    opened.store.clear()
    expect(listJudged(opened.store.contract)).toMatchObject({ deviations: [], judgedExchanges: 0 })
    opened.store.close()
  })

  it('wait for a large body until it is stored', () => {
    const opened = openDiskStore(createTempDir())
    const nodes = Array.from({ length: 5_000 }, (_, index) => ({ noteid: `N${index}`, title: 'a title' }))
    opened.store.add(createPage({ nodes, extra: 1 }))
    opened.store.flush()
    expect(opened.store.contract.list()).toMatchObject({ deviations: [], unjudgedExchanges: 1 })
    while (opened.store.saveBody());
    expect(summarize(listJudged(opened.store.contract))).toHaveLength(1)
    opened.store.close()
  })

  it('contain no token, in whatever place a host sends it', () => {
    const token = 'mnb0.0123456789abcdefghijklmnop'
    const opened = openDiskStore(createTempDir())
    opened.store.masker.addTokens([token])
    const nodes = Array.from({ length: 5_000 }, (_, index) => ({ noteid: `N${index}`, title: 'a title' }))
    addAll(opened, [
      createPage({ [token]: token, bridgeApiVersion: token, sort: token }),
      createPage({ [`large ${token}`]: token, nodes: [...nodes, token] }),
      createPage({}, { endpoint: null, path: `/x/${token}`, template: `/x/${token}` }),
    ])
    const list = listJudged(opened.store.contract)
    expect(list.deviations.length).toBeGreaterThan(4)
    expect(JSON.stringify(list)).not.toContain(token)
    opened.store.close()
  })

  it('are bounded, whatever a host invents', () => {
    const opened = openDiskStore(createTempDir())
    const entries = Array.from({ length: 300 }, (_, index) => createPage({ [`name${index}`]: 1 }))
    addAll(opened, entries)
    while (opened.store.contract.judgeNew(100));
    const { deviations, ungroupedCount } = listJudged(opened.store.contract)
    // What is only otherwise than observed does not count.
    expect([deviations.length, ungroupedCount]).toEqual([200, 0])
    addAll(opened, [createPage({ nextCursor: 7 })])
    while (opened.store.contract.judgeNew(100));
    expect(listJudged(opened.store.contract).ungroupedCount).toBe(1)
    opened.store.close()
  })

  it('are saved later if the disk rejects them, before what was judged counts as judged', () => {
    const dir = createTempDir()
    const opened = openDiskStore(dir)
    opened.database.exec("CREATE TRIGGER full BEFORE INSERT ON deviations BEGIN SELECT RAISE(ABORT, 'full'); END")
    addAll(opened, [createPage({ extra: 1 })])
    const before = summarize(listJudged(opened.store.contract))
    opened.database.exec('DROP TRIGGER full')
    addAll(opened, [createPage()])
    listJudged(opened.store.contract)
    opened.store.close()
    const reopened = openDiskStore(dir)
    expect(summarize(listJudged(reopened.store.contract))).toEqual(before)
    reopened.store.close()
  })

  it('count as judged only together with what was learned from the same responses', () => {
    const { store, database } = openDiskStore(createTempDir())
    const readStored = () => [
      database.prepare("SELECT json_extract(value, '$.lastSeq') AS seq FROM contract_facts").get()?.['seq'],
      database.prepare('SELECT sum(json_array_length(hashes)) AS count FROM learned_shapes').get()?.['count'],
    ]
    addAll({ store }, [createPage({ extra: 1 })])
    store.contract.list()
    expect(readStored()).toEqual([1, 1])
    addAll({ store }, [createPage({ extra: 1, other: 1 })])
    store.contract.list()
    expect(readStored()).toEqual([1, 1])
    database.exec("CREATE TRIGGER full BEFORE INSERT ON learned_shapes BEGIN SELECT RAISE(ABORT, 'full'); END")
    store.contract.save()
    expect(readStored()).toEqual([1, 1])
    database.exec('DROP TRIGGER full')
    store.contract.save()
    expect(readStored()).toEqual([2, 2])
    store.close()
  })

  it('are still known since their first exchange when those that are left are judged again', () => {
    const opened = openDiskStore(createTempDir())
    addAll(opened, [createPage({ extra: 1, gone: 1 }), createPage({ extra: 1, bridgeApiVersion: '0.92' })])
    listJudged(opened.store.contract)
    opened.store.contract.mark(5)
    opened.database.exec('DELETE FROM exchanges WHERE seq = 1')
    expect(opened.store.contract.judgeAgain(0).isWhole).toBe(true)
    const { deviations } = listJudged(opened.store.contract)
    expect(
      deviations.map(({ pointer, firstSeq, count, isNew, hostVersions, sampleSeq }) => [
        ...[pointer, firstSeq, count, isNew, hostVersions, sampleSeq],
      ]),
    ).toEqual([['/extra', 1, 1, false, ['0.91', '0.92'], 2]])
    opened.store.close()
  })

  it('have the version that a wrapped response reports', () => {
    const opened = openDiskStore(createTempDir())
    const response = createBody(JSON.stringify({ result: { ...page, bridgeApiVersion: '0.93', extra: 1 } }))
    addAll(opened, [createEntry({ row: TREE, response })])
    expect(listJudged(opened.store.contract).deviations[0]?.hostVersions).toEqual(['0.93'])
    opened.store.close()
  })

  it('are found in memory, too', async () => {
    const store = createMemoryStore({ reason: 'TRAFFIC_VISIT', onChange: () => undefined })
    store.add(createPage({ extra: 1 }))
    expect(summarize(await store.listDeviations())).toEqual([['unknown-member /extra', 1, 1, '0.91', 1]])
  })
})

/** A route that only the host's own capabilities can list. */
const FLASH = { endpoint: null, path: '/flash', template: '/flash' }
const createFlash = (): RawEntry => createEntry({ row: FLASH })
const createCapabilities = (
  routes: readonly object[],
  row: Partial<RawEntry['row']> = {},
  wrapper?: string,
): RawEntry => {
  const body = { bridgeApiVersion: '0.91', routes }
  return createEntry({
    row: { endpoint: 'capabilities.get', path: '/capabilities', template: '/capabilities', ...row },
    response: createBody(JSON.stringify(wrapper === undefined ? body : { [wrapper]: body })),
  })
}
const WITHOUT_FLASH = [{ method: 'GET', path: '/status' }]
const WITH_FLASH = [...WITHOUT_FLASH, { method: 'GET', path: '/flash' }]

describe('the routes that a host lists', () => {
  const listRoutes = ({ deviations }: IpcOutput<'contract.deviations'>) =>
    deviations.filter(({ kind }) => kind === 'unknown-route').map(({ firstSeq }) => firstSeq)

  it.each([
    ['in the usual shape', createCapabilities(WITH_FLASH)],
    ['in a wrapper', createCapabilities(WITH_FLASH, {}, 'data')],
    ['beside a route without a path', createCapabilities([...WITH_FLASH, { method: 'GET' }])],
  ])('are known %s', (_, capabilities) => {
    const opened = openDiskStore(createTempDir())
    addAll(opened, [capabilities, createFlash()])
    expect(listRoutes(listJudged(opened.store.contract))).toEqual([])
    opened.store.close()
  })

  it('are those of the next capabilities if there were none before', () => {
    const opened = openDiskStore(createTempDir())
    addAll(opened, [createFlash(), createCapabilities(WITHOUT_FLASH), createCapabilities(WITH_FLASH), createFlash()])
    expect(listRoutes(listJudged(opened.store.contract))).toEqual([1])
    opened.store.close()
  })

  it.each(['disk', 'memory'])('come from the host itself, and not from an override (%s)', async (kind) => {
    const opened = kind === 'disk' ? openDiskStore(createTempDir()) : null
    const memory = createMemoryStore({ reason: 'TRAFFIC_VISIT', onChange: () => undefined })
    const entries = [
      createCapabilities(WITH_FLASH, { rule: 'my rule' }),
      createFlash(),
      createCapabilities(WITHOUT_FLASH),
    ]
    for (const entry of entries) memory.add(entry)
    if (opened) addAll(opened, entries)
    expect(listRoutes(opened ? listJudged(opened.store.contract) : await memory.listDeviations())).toEqual([2])
    opened?.store.close()
  })
})

describe('a question about the past', () => {
  type Question = IpcInput<'contract.ask'>['question']

  /** Three days on which the host changes twice. */
  function openHistory() {
    const opened = openDiskStore(createTempDir())
    const start = new Date(2026, 0, 1, 12).getTime()
    const createDay = (day: number, version: string, members: object, row = {}) =>
      createPage({ bridgeApiVersion: version, ...members }, { startedAt: start + day * DAY_MS, ...row })
    addAll(opened, [
      createDay(0, '0.91', {}),
      createDay(0, '0.91', {}, { state: 'failed' }),
      createDay(1, '0.92', { extra: 1 }),
      createDay(1, '0.92', { extra: 2 }),
      createDay(2, '0.93', {}),
    ])
    const ask = (question: Question, after = 0, lastOutcomes: IpcInput<'contract.ask'>['lastOutcomes'] = []) =>
      opened.store.contract.ask({ method: 'GET', template: TREE.template, question, after, lastOutcomes })
    return { opened, ask }
  }

  it('tells by version and day since when a deviation is there, and since when not', () => {
    const { opened, ask } = openHistory()
    const [deviation] = listJudged(opened.store.contract).deviations
    const result = ask({ kind: 'deviation', id: deviation?.id ?? '' })
    expect(
      result.counts.map(({ version, day, held, broken, undecided }) => [version, day, held, broken, undecided]),
    ).toEqual([
      ['0.91', '2026-01-01', 1, 0, 1],
      ['0.92', '2026-01-02', 0, 2, 0],
      ['0.93', '2026-01-03', 1, 0, 0],
    ])
    expect(
      result.transitions.map(({ becomes, lastSeq, firstSeq, lastVersion, firstVersion }) => [
        becomes,
        lastSeq,
        firstSeq,
        lastVersion,
        firstVersion,
      ]),
    ).toEqual([
      ['broken', 1, 3, '0.91', '0.92'],
      ['held', 4, 5, '0.92', '0.93'],
    ])
    expect(result).toMatchObject({
      asked: 5,
      isWhole: true,
      left: 0,
      examples: { held: { seq: 1 }, broken: { seq: 3 } },
    })
    opened.store.close()
  })

  it('takes the routes that the host listed at that time', () => {
    const opened = openDiskStore(createTempDir())
    addAll(opened, [createCapabilities(WITHOUT_FLASH), createFlash(), createCapabilities(WITH_FLASH), createFlash()])
    const [deviation] = listJudged(opened.store.contract).deviations
    const question: Question = { kind: 'deviation', id: deviation?.id ?? '' }
    const input = { method: 'GET', template: '/flash', question, after: 0, lastOutcomes: [] }
    const { counts, transitions } = opened.store.contract.ask(input)
    expect(counts).toMatchObject([{ held: 1, broken: 1 }])
    expect(transitions).toMatchObject([{ becomes: 'held', lastSeq: 2, firstSeq: 4 }])
    opened.store.close()
  })

  it('learns nothing from an error that was sent with the status of a success', () => {
    const opened = openDiskStore(createTempDir())
    const error = createBody(JSON.stringify({ error: { code: 'BUSY', message: 'later' } }))
    addAll(opened, [createPage({ extra: 1 }), createEntry({ row: TREE, response: error })])
    const deviation = listJudged(opened.store.contract).deviations.find(({ pointer }) => pointer === '/extra')
    const question: Question = { kind: 'deviation', id: deviation?.id ?? '' }
    const input = { method: 'GET', template: TREE.template, question, after: 0, lastOutcomes: [] }
    expect(opened.store.contract.ask(input).counts).toMatchObject([{ held: 0, broken: 1, undecided: 1 }])
    opened.store.close()
  })

  it('can be an assertion, and goes on where the previous part ended', () => {
    const { opened, ask } = openHistory()
    const question: Question = { kind: 'assertion', assertion: { kind: 'exists', pointer: '/extra', exists: false } }
    const lastOutcomes = [{ host: 'http://127.0.0.1:1/bridge/v1', outcome: 'broken' as const, seq: 4, version: '0.92' }]
    expect(ask(question, 4, lastOutcomes).transitions).toMatchObject([{ becomes: 'held', lastSeq: 4, firstSeq: 5 }])
    expect(ask(question).transitions).toHaveLength(2)
    opened.store.close()
  })
})
