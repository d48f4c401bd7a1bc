import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import type { DemoStudySet } from '../../../electron/demo-host/library/model.ts'
import { startDemo, type DemoRequest, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let set: DemoStudySet
const LONG_AGO = '2020-01-01T00:00:00.000Z'
const confirm = true

beforeAll(async () => {
  host = await startDemo({ stepMs: 10 })
  const [first] = host.host.state.library.sets
  if (!first) throw new Error('no study set')
  set = first
})
afterAll(() => host.host.close())
beforeEach(() => {
  set.lastModifiedAt = LONG_AGO
})

const askJson = async (id: string, request: DemoRequest = {}) => (await host.ask(id, request)).json
const createTopicParams = () => ({ topicid: set.topicid })
const findParent = (): string =>
  set.cards.find((card) => card.subMapId === null && set.cards.some((child) => child.parent === card.noteid))?.noteid ??
  ''

describe('write without effect', () => {
  it('reports that the snapshot already exists', async () => {
    await host.ask('notes.title', { params: { noteid: findParent() }, body: { text: 'Changed', confirm } })
    const request = { params: createTopicParams(), body: { description: 'One' } }
    expect(await askJson('studySets.createSnapshot', request)).toMatchObject({ created: true, persisted: true })
    set.lastModifiedAt = LONG_AGO
    const repeated = await askJson('studySets.createSnapshot', request)
    expect([repeated['created'], repeated['persisted'], set.lastModifiedAt]).toEqual([false, undefined, LONG_AGO])
  })

  it('reports that the study set already has the document, or does not have it', async () => {
    const added = await askJson('studySets.addDocuments', {
      params: createTopicParams(),
      body: { bookmd5: set.documents[0], confirm },
    })
    expect([added['alreadyPresent'], added['persisted']]).toEqual([true, undefined])
    const params = { ...createTopicParams(), bookmd5: 'NOBODY' }
    const removed = await askJson('studySets.removeDocument', { params, body: { confirm } })
    expect([removed['removed'], removed['persisted'], set.lastModifiedAt]).toEqual([false, false, LONG_AGO])
  })

  it('refuses a deletion with another title', async () => {
    const request = { params: createTopicParams(), body: { expectedTitle: 'Another', confirm } }
    expect((await askJson('studySets.delete', request)).error?.code).toBe('TITLE_MISMATCH')
    expect(set.lastModifiedAt).toBe(LONG_AGO)
  })

  it('refuses an upload with a bad name', async () => {
    const query = { filename: '../x.pdf', topicid: set.topicid, confirm: 1 }
    expect((await askJson('library.upload', { query, body: 'bytes' })).error?.code).toBe('PARAMETER_INVALID')
    expect(set.lastModifiedAt).toBe(LONG_AGO)
  })

  it('reports that an upload already exists', async () => {
    const upload = () =>
      askJson('library.upload', { query: { filename: 'x.txt', folder: 'F', confirm: 1 }, body: 'bytes' })
    expect((await upload())['persisted']).toBe(true)
    const repeated = await upload()
    expect([repeated['persisted'], repeated['movedToFolder']]).toEqual([undefined, false])
  })

  it('refuses to import a text without headings', async () => {
    const bundle = host.host.state.bundles.find(({ state, topicid }) => state === 'prepared' && topicid === set.topicid)
    const request = { params: { bundleId: bundle?.bundleId ?? '' }, body: { resultMarkdown: 'nothing' } }
    expect((await askJson('bundles.submit', request)).error?.code).toBe('PARAMETER_INVALID')
    expect(set.lastModifiedAt).toBe(LONG_AGO)
  })

  it('reports undoing a card that is no sub-map, and folding one that already is', async () => {
    const params = { noteid: findParent() }
    const fold = (undo: boolean) => askJson('notes.foldIntoSubMap', { params, body: { undo, confirm } })
    expect((await fold(true))['persisted']).toBe(false)
    expect(set.lastModifiedAt).toBe(LONG_AGO)
    expect((await fold(false))['persisted']).toBe(true)
    expect((await fold(false))['persisted']).toBe(false)
    expect((await fold(true))['persisted']).toBe(true)
  })

  it('reports folding a folded card', async () => {
    const fold = () => askJson('notes.fold', { body: { noteIds: [findParent()], folded: true, confirm } })
    expect(await fold()).toMatchObject({ persisted: true, changed: 1 })
    expect(await fold()).toMatchObject({ persisted: false, changed: 0, skipped: [] })
  })
})

describe('undoing a sub-map', () => {
  it('removes a sub-map of the original library from the tree and from the list', async () => {
    const { generatedSet: generated } = host.host.state
    const params = { topicid: generated.topicid }
    const fetchIds = async (id: string, list: string): Promise<string[]> =>
      ((await askJson(id, { params }))[list] as { noteid: string; subMapId?: string }[])
        .filter(({ subMapId }) => list === 'subMaps' || subMapId !== undefined)
        .map(({ noteid }) => noteid)
    const [noteid = ''] = await fetchIds('studySets.subMaps', 'subMaps')
    expect(await fetchIds('studySets.tree', 'nodes')).toContain(noteid)
    const undone = await askJson('notes.foldIntoSubMap', { params: { noteid }, body: { undo: true, confirm } })
    expect(undone['persisted']).toBe(true)
    expect(await fetchIds('studySets.subMaps', 'subMaps')).not.toContain(noteid)
    expect(await fetchIds('studySets.tree', 'nodes')).not.toContain(noteid)
  })
})

describe('documented input', () => {
  it('all members of a mask are stored', async () => {
    const card = [...host.host.state.library.cards.values()].find(({ parts }) =>
      parts.some(({ kind }) => kind === 'image'),
    )
    const params = { noteid: card?.noteid ?? '' }
    const mask = { rect: { x: 0, y: 0, width: 0.5, height: 0.5 }, group: 2, flags: 1, isText: true }
    const body = { coordinateSpace: 'normalized', operation: 'replace', masks: [mask] }
    const { sourceFingerprint, maskFingerprint } = (await askJson('notes.imageOcclusions', { params, body })).error
      ?.details as Record<string, string>
    const expected = { expectedSourceFingerprint: sourceFingerprint, expectedMaskFingerprint: maskFingerprint }
    expect(
      (await askJson('notes.imageOcclusions', { params, body: { ...body, ...expected, confirm } }))['persisted'],
    ).toBe(true)
    const [item] = (await askJson('notes.batchGet', { body: { noteIds: [params.noteid] } }))['items'] as {
      parts: { occlusion?: { masks: object[] } }[]
    }[]
    const masks = item?.parts.flatMap(({ occlusion }) => occlusion?.masks ?? [])
    expect(masks).toMatchObject([{ group: 2, flags: 1, isText: true }])
  })

  it('an import creates the blanks that it reports, and names the mode that it ignored', async () => {
    const bundle = host.host.state.bundles.find(({ state }) => state === 'prepared')
    const params = { bundleId: bundle?.bundleId ?? '' }
    const done = await askJson('bundles.submit', { params, body: { withBlank: true, excerptMode: 'link' } })
    const { created } = done['blankInsertion'] as { created: number }
    const noteIds = (done['receipt'] as { noteid: string }[]).map(({ noteid }) => noteid)
    const items = (await askJson('notes.batchGet', { body: { noteIds } }))['items'] as { texts: { kind: string }[] }[]
    const blanks = items.flatMap(({ texts }) => texts).filter(({ kind }) => kind === 'blank')
    expect([created > 0, blanks.length, done['ignoredFields']]).toEqual([true, created, ['excerptMode']])
  })

  test.each([
    ['topicid', 7],
    ['bookmd5', 7],
    ['focusnoteid', false],
    ['topicid', null],
  ])('the interface rejects %s %j', async (name, value) => {
    await askJson('studySets.open', { params: createTopicParams(), body: {} })
    const applied = await askJson('uiState.apply', { body: { state: { [name]: value } } })
    expect([applied['accepted'], applied['rejected']]).toEqual([[], [name]])
  })

  it('a card is not shown in an unknown study set', async () => {
    const request = { params: { noteid: findParent() }, body: { topicid: 'NOBODY' } }
    expect((await askJson('notes.focus', request)).error?.code).toBe('TOPIC_NOT_FOUND')
  })
})
