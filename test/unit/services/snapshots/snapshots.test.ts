/** @module-tag slow */

import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { startDemoHost } from '../../../../electron/demo-host/server.ts'
import { SNAPSHOTS_FILE } from '../../../../electron/services/snapshots/snapshot-database.ts'
import type { SnapshotComparison } from '../../../../shared/ipc/snapshots.ts'
import type { SnapshotInfo } from '../../../../shared/snapshots/snapshot.ts'
import { expectNoSecret } from '../../../support/data/secrets.ts'
import { readAllFiles, startComposedApp, type ComposedApp } from '../../../support/program/composed-app.ts'
import { buildTitleDraft, startWritableApp } from '../../../support/program/writable-app.ts'

const auth = { header: 'Authorization', scheme: 'Bearer' }

async function readTree(app: ComposedApp, topicid: string, limit = 5000): Promise<void> {
  let cursor: string | null = null
  do {
    const query = cursor === null ? { limit } : { limit, cursor }
    const { bytes } = await app.call('bridge.read', { endpoint: 'studySets.tree', params: { topicid }, query })
    ;({ nextCursor: cursor } = JSON.parse(Buffer.from(bytes).toString()) as { nextCursor: string | null })
  } while (cursor !== null)
}

const list = async (app: ComposedApp, topicid: string): Promise<SnapshotInfo[]> =>
  (await app.call('snapshots.list', { topicid })).snapshots

const compare = (app: ComposedApp, topicid: string, before: number): Promise<SnapshotComparison> =>
  app.call('snapshots.compare', { topicid, before, after: 'now', layout: 'list', offset: 0, limit: 100 })

test('a listing that is read becomes a snapshot, once for equal cards, and a write is the cause of its change', async () => {
  const { app, set, card, sendDraft } = await startWritableApp()
  const { topicid } = set
  const { title } = card
  await readTree(app, topicid, 3)
  const [first] = await list(app, topicid)
  expect(first).toMatchObject({ topicid, cards: set.cards.length, gaps: [], isInTreeOrder: true, isRequested: false })
  await readTree(app, topicid)
  const [sameSnapshot, ...others] = await list(app, topicid)
  expect([sameSnapshot?.id, others]).toEqual([first?.id, []])
  expect(sameSnapshot?.seenAt).toBeGreaterThanOrEqual(first?.endedAt ?? Infinity)

  await sendDraft(buildTitleDraft(card.noteid, 'Another title'))
  const second = await app.call('snapshots.take', { topicid })
  expect(second).toMatchObject({ cards: set.cards.length, gaps: [], isRequested: true })
  const comparison = await compare(app, topicid, first?.id ?? 0)
  expect(comparison).toMatchObject({ changes: 1, counts: { renamed: 1 }, causes: { named: 1 }, rowCount: 1 })
  const [row] = comparison.rows
  expect(row).toMatchObject({
    ...{ row: 'change', noteid: card.noteid, kinds: ['renamed'], members: ['title'] },
    ...{ before: { title }, after: { title: 'Another title' } },
    cause: { certainty: 'named', writes: [{ method: 'POST', origin: { kind: 'write' }, isCertain: true }] },
  })
  expect(app.events.filter(({ topic }) => topic === 'snapshots.changed').map(({ payload }) => payload)).toContainEqual({
    topicid,
  })
})

test('a change that nobody here made has nobody as its cause', async () => {
  const { app, set, card } = await startWritableApp()
  const first = await app.call('snapshots.take', { topicid: set.topicid })
  Reflect.set(card, 'title', 'By hand')
  await app.call('snapshots.take', { topicid: set.topicid })
  const { rows } = await compare(app, set.topicid, first.id)
  expect(rows).toMatchObject([{ noteid: card.noteid, cause: { certainty: 'nobody', writes: [] } }])
})

test('a call explains only what it can do, though somebody changed the same card as well', async () => {
  const { app, set, card, sendDraft } = await startWritableApp()
  const first = await app.call('snapshots.take', { topicid: set.topicid })
  await sendDraft(buildTitleDraft(card.noteid, 'By the form'))
  card.colorIndex = (card.colorIndex + 1) % 16
  await app.call('snapshots.take', { topicid: set.topicid })
  const { rows } = await compare(app, set.topicid, first.id)
  expect(rows).toMatchObject([
    { kinds: ['renamed', 'recoloured'], cause: { certainty: 'partly' }, unexplained: ['recoloured'] },
  ])
})

test('a listing with a query that the contract does not have becomes no snapshot', async () => {
  const { app, set } = await startWritableApp()
  const readAsPanel = (query: string): Promise<unknown> =>
    app.call('panel.callAs', {
      ...{ pluginId: 'a.plugin', method: 'GET', path: `/study-sets/${set.topicid}/tree?${query}`, body: null },
    })
  await readAsPanel('depth=1')
  expect(await list(app, set.topicid)).toEqual([])
  await readAsPanel('limit=5000&withNotes=1')
  expect(await list(app, set.topicid)).toMatchObject([{ gaps: [] }])
})

test('the host is not blamed for a snapshot that the disk does not take', async () => {
  const { app, set } = await startWritableApp()
  await list(app, set.topicid)
  const other = new DatabaseSync(path.join(app.dataDir, SNAPSHOTS_FILE))
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  expect(await app.callExpectingError('snapshots.take', { topicid: set.topicid })).toMatchObject({
    code: 'SNAPSHOT_UNWRITTEN',
  })
  other.exec('ROLLBACK')
  expect(await app.call('snapshots.take', { topicid: set.topicid })).toMatchObject({ gaps: [] })
})

test('a cancelled snapshot stays as one that is not whole', async () => {
  const { app, host } = await startWritableApp({ host: { nodes: 3_000 } })
  const { topicid } = host.state.generatedSet
  await app.call('settings.update', { treePageSize: 1 })
  const call = app.callExpectingError('snapshots.take', { topicid })
  await expect.poll(() => app.events.some(({ topic }) => topic === 'snapshots.progress')).toBe(true)
  app.app.dispatcher.removeCaller('page')
  await call.catch(() => undefined)
  await expect.poll(() => list(app, topicid)).toMatchObject([{ gaps: ['cancelled'], isRequested: true }])
})

test('a snapshot ends when another host is connected meanwhile, of which it takes nothing', async () => {
  const { app, host } = await startWritableApp({ host: { nodes: 1_000 } })
  const other = await startDemoHost({ nodes: 1_000 })
  onTestFinished(() => other.close())
  const { topicid } = host.state.generatedSet
  const { profile } = await app.call('profiles.save', { name: 'Other', baseUrl: other.baseUrl, auth, readOnly: true })
  await app.call('vault.set', { profileId: profile.id, token: other.token, remember: false })
  await app.call('settings.update', { treePageSize: 1 })
  const call = app.callExpectingError('snapshots.take', { topicid })
  await expect.poll(() => app.events.some(({ topic }) => topic === 'snapshots.progress')).toBe(true)
  await app.call('connection.connect', { profileId: profile.id })
  expect(await call).toMatchObject({ kind: 'refused', code: 'HOST_CHANGED' })
  expect(other.log.filter(({ path }) => path.includes('/tree'))).toEqual([])
  expect(await list(app, topicid)).toMatchObject([{ host: host.baseUrl, gaps: ['failed'] }])
})

test('a snapshot with details finds changed texts and tags, and is compared with a plain one by what both have', async () => {
  const { app, set, card } = await startWritableApp()
  const { topicid } = set
  const plain = await app.call('snapshots.take', { topicid })
  const detailed = await app.call('snapshots.take', { topicid, details: true })
  expect(detailed).toMatchObject({ cards: set.cards.length, detailed: set.cards.length })
  expect(await compare(app, topicid, plain.id)).toMatchObject({ changes: 0 })
  card.hashtags = [...card.hashtags, '#new']
  card.texts = [
    ...card.texts.slice(0, 1),
    { ...card.texts[0], index: 9, text: 'another' } as (typeof card.texts)[number],
  ]
  await app.call('snapshots.take', { topicid, details: true })
  const { rows } = await compare(app, topicid, detailed.id)
  expect(rows).toMatchObject([{ noteid: card.noteid, kinds: expect.arrayContaining(['text', 'tags']) as string[] }])
  const phases = app.events.filter(({ topic }) => topic === 'snapshots.progress').map(({ payload }) => payload)
  expect(phases).toContainEqual({ topicid, phase: 'details', count: set.cards.length, total: set.cards.length })
})

test('excerpts and colors are read by choice, and what differs is found', async () => {
  let base = '#112233'
  const { app, host, set } = await startWritableApp({
    alter: ({ path }, { status, body }) => {
      if (!path.includes('/note-palette')) return null
      const color = { hex: base, rgba: { r: 1, g: 2, b: 3, a: 1 } }
      const colors = [{ colorIndex: 0, baseColor: color, displayColor: color }]
      return { status, body: { ...(body as object), count: 1, colors } }
    },
  })
  const { topicid } = set
  const plain = await app.call('snapshots.take', { topicid })
  expect(plain).toMatchObject({ excerpts: null, palette: null })
  const first = await app.call('snapshots.take', { topicid, excerpts: true, palette: true })
  const total = set.documents.length
  expect(first).toMatchObject({
    ...{ gaps: [], excerpts: { documents: total, total } },
    palette: { appearance: 'light', levels: [{ colorIndex: 0, base, display: base }] },
  })
  expect(await app.call('snapshots.take', { topicid, excerpts: true, palette: true })).toMatchObject({ id: first.id })
  expect(await compare(app, topicid, plain.id)).toMatchObject({ changes: 0, palette: null })

  const [excerpt] = set.documents.flatMap((document) => host.state.library.excerpts.get(document) ?? [])
  if (!excerpt) throw new Error('no excerpts')
  Reflect.set(excerpt, 'text', 'Another text')
  base = '#445566'
  await app.call('snapshots.take', { topicid, excerpts: true, palette: true })
  const comparison = await compare(app, topicid, first.id)
  expect(comparison).toMatchObject({
    ...{ changes: 1, counts: { excerpts: 1 } },
    palette: [{ colorIndex: 0, before: { base: '#112233' }, after: { base: '#445566' } }],
    rows: [{ noteid: excerpt.cardNoteId, kinds: ['excerpts'], members: ['excerpts'] }],
  })
  expect(JSON.stringify(comparison.rows)).toContain('Another text')
  const phases = app.events.filter(({ topic }) => topic === 'snapshots.progress').map(({ payload }) => payload)
  expect(phases).toContainEqual({ topicid, phase: 'excerpts', count: total, total })
})

test('excerpts of which the host lists only a part are not compared', async () => {
  const { app, host, set } = await startWritableApp()
  const { topicid } = set
  const [document] = set.documents
  const list = host.state.library.excerpts.get(document ?? '') ?? []
  const first = await app.call('snapshots.take', { topicid, excerpts: true })
  Reflect.set(host.state, 'excerptLimit', 1)
  const second = await app.call('snapshots.take', { topicid, excerpts: true })
  expect(list.length).toBeGreaterThan(1)
  expect(second.excerpts?.documents).toBeLessThan(set.documents.length)
  expect(await compare(app, topicid, first.id)).toMatchObject({ changes: 0 })
})

test('a panel’s calls between two snapshots are the causes of exactly what they changed', async () => {
  const { app, set, listWrites } = await startWritableApp()
  const { topicid } = set
  const leaves = set.cards.filter(({ noteid }) => !set.cards.some(({ parent }) => parent === noteid))
  const [renamed, colored, moved, byHand] = leaves.map(({ noteid }) => noteid)
  const parent = set.cards.find(({ noteid, parent: above }) => above !== null && noteid !== moved)?.noteid
  if (!renamed || !colored || !moved || !byHand || !parent) throw new Error('too few cards')
  const first = await app.call('snapshots.take', { topicid })
  const callAsPanel = async (path: string, body: object): Promise<void> => {
    const call = app.call('panel.callAs', { pluginId: 'a.plugin', method: 'POST', path, body: JSON.stringify(body) })
    await expect.poll(async () => (await app.call('panel.get', {})).asks.length).toBe(1)
    const [ask] = (await app.call('panel.get', {})).asks
    await app.call('panel.decide', { id: ask?.id ?? '', send: true })
    expect((await call).meta.isFailure).toBe(false)
  }
  await callAsPanel(`/notes/${renamed}/title`, { text: 'By the panel' })
  await callAsPanel('/notes/metadata', { noteIds: [colored], patch: { colorIndex: 9 } })
  await callAsPanel('/notes/move', { noteIds: [moved], targetParentNoteId: parent })
  const card = set.cards.find(({ noteid }) => noteid === byHand)
  if (card) card.title = 'By hand'
  expect(listWrites()).toHaveLength(3)
  await app.call('snapshots.take', { topicid })
  const { rows } = await compare(app, topicid, first.id)
  const causes = rows.flatMap((row) =>
    row.row === 'change'
      ? [`${row.noteid} ${row.kinds.join()} ${row.cause.certainty} ${row.cause.writes[0]?.path}`]
      : [],
  )
  expect(causes.sort()).toEqual(
    [
      `${renamed} renamed named /notes/${renamed}/title`,
      `${colored} recoloured named /notes/metadata`,
      `${moved} moved named /notes/move`,
      `${byHand} renamed nobody undefined`,
    ].sort(),
  )
})

test('a study set that does not exist gives the host’s error, and an unknown snapshot ours', async () => {
  const { app, set } = await startWritableApp()
  expect(await app.callExpectingError('snapshots.take', { topicid: 'NO-SUCH' })).toMatchObject({ kind: 'host' })
  expect(
    await app.callExpectingError('snapshots.compare', {
      ...{ topicid: set.topicid, before: 1, after: 'now' },
      ...{ layout: 'tree', offset: 0, limit: 1 },
    }),
  ).toMatchObject({ code: 'SNAPSHOT_UNKNOWN' })
})

test('snapshots survive the program, hold no token, and can be removed', async () => {
  const { app, host, set, card } = await startWritableApp()
  Reflect.set(card, 'title', `a title with ${host.token}`)
  await app.call('snapshots.take', { topicid: set.topicid })
  await app.call('operations.prepare', buildTitleDraft(card.noteid, host.token)).catch(() => undefined)
  expect(await app.call('snapshots.list', { topicid: set.topicid })).toMatchObject({ isOnDisk: true })
  await app.dispose()
  expectNoSecret(readAllFiles(app.dataDir), host.token)

  const nextApp = await startComposedApp(app.dataDir)
  const [snapshot] = await list(nextApp, set.topicid)
  expect(snapshot).toMatchObject({ cards: set.cards.length, gaps: [] })
  expect(await nextApp.call('snapshots.clear', { topicid: set.topicid })).toEqual({ removed: 1 })
  expect(await list(nextApp, set.topicid)).toEqual([])
})
