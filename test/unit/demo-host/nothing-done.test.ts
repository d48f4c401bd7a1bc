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

const of = async (id: string, asked: DemoRequest = {}) => (await host.ask(id, asked)).json
const topic = () => ({ topicid: set.topicid })
const parent = (): string =>
  set.cards.find((card) => card.subMapId === null && set.cards.some((one) => one.parent === card.noteid))?.noteid ?? ''

describe('a write that does nothing says so, and leaves the study set as it was', () => {
  it('a version point that already exists', async () => {
    await host.ask('notes.title', { params: { noteid: parent() }, body: { text: 'Changed', confirm } })
    const asked = { params: topic(), body: { description: 'One' } }
    expect(await of('studySets.createSnapshot', asked)).toMatchObject({ created: true, persisted: true })
    set.lastModifiedAt = LONG_AGO
    const again = await of('studySets.createSnapshot', asked)
    expect([again['created'], again['persisted'], set.lastModifiedAt]).toEqual([false, undefined, LONG_AGO])
  })

  it('a document that the study set already has, and one that it does not have', async () => {
    const added = await of('studySets.addDocuments', {
      params: topic(),
      body: { bookmd5: set.documents[0], confirm },
    })
    expect([added['alreadyPresent'], added['persisted']]).toEqual([true, undefined])
    const params = { ...topic(), bookmd5: 'NOBODY' }
    const removed = await of('studySets.removeDocument', { params, body: { confirm } })
    expect([removed['removed'], removed['persisted'], set.lastModifiedAt]).toEqual([false, false, LONG_AGO])
  })

  it('a deletion with another title', async () => {
    const asked = { params: topic(), body: { expectedTitle: 'Another', confirm } }
    expect((await of('studySets.delete', asked)).error?.code).toBe('TITLE_MISMATCH')
    expect(set.lastModifiedAt).toBe(LONG_AGO)
  })

  it('an upload with a bad name', async () => {
    const query = { filename: '../x.pdf', topicid: set.topicid, confirm: 1 }
    expect((await of('library.upload', { query, body: 'bytes' })).error?.code).toBe('PARAMETER_INVALID')
    expect(set.lastModifiedAt).toBe(LONG_AGO)
  })

  it('an upload of what is already there', async () => {
    const upload = () => of('library.upload', { query: { filename: 'x.txt', folder: 'F', confirm: 1 }, body: 'bytes' })
    expect((await upload())['persisted']).toBe(true)
    const again = await upload()
    expect([again['persisted'], again['movedToFolder']]).toEqual([undefined, false])
  })

  it('a text with no heading, for an import', async () => {
    const bundle = host.host.state.bundles.find(({ state, topicid }) => state === 'prepared' && topicid === set.topicid)
    const asked = { params: { bundleId: bundle?.bundleId ?? '' }, body: { resultMarkdown: 'nothing' } }
    expect((await of('bundles.submit', asked)).error?.code).toBe('PARAMETER_INVALID')
    expect(set.lastModifiedAt).toBe(LONG_AGO)
  })

  it('undoing what is not a sub-map, and making one of what is one', async () => {
    const params = { noteid: parent() }
    const fold = (undo: boolean) => of('notes.foldIntoSubMap', { params, body: { undo, confirm } })
    expect((await fold(true))['persisted']).toBe(false)
    expect(set.lastModifiedAt).toBe(LONG_AGO)
    expect((await fold(false))['persisted']).toBe(true)
    expect((await fold(false))['persisted']).toBe(false)
    expect((await fold(true))['persisted']).toBe(true)
  })

  it('folding what is folded', async () => {
    const fold = () => of('notes.fold', { body: { noteIds: [parent()], folded: true, confirm } })
    expect(await fold()).toMatchObject({ persisted: true, changed: 1 })
    expect(await fold()).toMatchObject({ persisted: false, changed: 0, skipped: [] })
  })
})

describe('undoing a sub-map', () => {
  it('holds for one that the library came with, in the tree and in the list', async () => {
    const { generatedSet: generated } = host.host.state
    const params = { topicid: generated.topicid }
    const ids = async (id: string, list: string): Promise<string[]> =>
      ((await of(id, { params }))[list] as { noteid: string; subMapId?: string }[])
        .filter(({ subMapId }) => list === 'subMaps' || subMapId !== undefined)
        .map(({ noteid }) => noteid)
    const [noteid = ''] = await ids('studySets.subMaps', 'subMaps')
    expect(await ids('studySets.tree', 'nodes')).toContain(noteid)
    const undone = await of('notes.foldIntoSubMap', { params: { noteid }, body: { undo: true, confirm } })
    expect(undone['persisted']).toBe(true)
    expect(await ids('studySets.subMaps', 'subMaps')).not.toContain(noteid)
    expect(await ids('studySets.tree', 'nodes')).not.toContain(noteid)
  })
})

describe('what is documented is not dropped without a word', () => {
  it('all members of a mask stay', async () => {
    const card = [...host.host.state.library.cards.values()].find(({ parts }) =>
      parts.some(({ kind }) => kind === 'image'),
    )
    const params = { noteid: card?.noteid ?? '' }
    const mask = { rect: { x: 0, y: 0, width: 0.5, height: 0.5 }, group: 2, flags: 1, isText: true }
    const body = { coordinateSpace: 'normalized', operation: 'replace', masks: [mask] }
    const { sourceFingerprint, maskFingerprint } = (await of('notes.imageOcclusions', { params, body })).error
      ?.details as Record<string, string>
    const expected = { expectedSourceFingerprint: sourceFingerprint, expectedMaskFingerprint: maskFingerprint }
    expect((await of('notes.imageOcclusions', { params, body: { ...body, ...expected, confirm } }))['persisted']).toBe(
      true,
    )
    const [item] = (await of('notes.batchGet', { body: { noteIds: [params.noteid] } }))['items'] as {
      parts: { occlusion?: { masks: object[] } }[]
    }[]
    const masks = item?.parts.flatMap(({ occlusion }) => occlusion?.masks ?? [])
    expect(masks).toMatchObject([{ group: 2, flags: 1, isText: true }])
  })

  it('an import has the blanks that it reports, and names the mode that it ignored', async () => {
    const bundle = host.host.state.bundles.find(({ state }) => state === 'prepared')
    const params = { bundleId: bundle?.bundleId ?? '' }
    const done = await of('bundles.submit', { params, body: { withBlank: true, excerptMode: 'link' } })
    const { created } = done['blankInsertion'] as { created: number }
    const noteIds = (done['receipt'] as { noteid: string }[]).map(({ noteid }) => noteid)
    const items = (await of('notes.batchGet', { body: { noteIds } }))['items'] as { texts: { kind: string }[] }[]
    const blanks = items.flatMap(({ texts }) => texts).filter(({ kind }) => kind === 'blank')
    expect([created > 0, blanks.length, done['ignoredFields']]).toEqual([true, created, ['excerptMode']])
  })

  test.each([
    ['topicid', 7],
    ['bookmd5', 7],
    ['focusnoteid', false],
    ['topicid', null],
  ])('the %s %j of the interface is rejected', async (name, value) => {
    await of('studySets.open', { params: topic(), body: {} })
    const said = await of('uiState.apply', { body: { state: { [name]: value } } })
    expect([said['accepted'], said['rejected']]).toEqual([[], [name]])
  })

  it('a card is not shown in a study set that does not exist', async () => {
    const asked = { params: { noteid: parent() }, body: { topicid: 'NOBODY' } }
    expect((await of('notes.focus', asked)).error?.code).toBe('TOPIC_NOT_FOUND')
  })
})
