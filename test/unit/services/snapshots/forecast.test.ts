/** @module-tag slow */

import { expect, test } from 'vitest'
import type { SnapshotForecast } from '../../../../shared/ipc/snapshots.ts'
import type { CommandDraft } from '../../../../shared/operations/prepared-write.ts'
import { createRandom } from '../../../support/fault-run/random.ts'
import { buildTitleDraft, startWritableApp } from '../../../support/program/writable-app.ts'

type App = Awaited<ReturnType<typeof startWritableApp>>

const draft = (endpoint: string, body: object, noteid?: string): CommandDraft => ({
  ...{ endpoint, query: {}, body, params: noteid === undefined ? {} : { noteid } },
})

async function forecastDraft({ app }: App, command: CommandDraft): Promise<SnapshotForecast> {
  const { origin, basePath, endpoint, path, body } = await app.call('operations.prepare', command)
  return app.call('snapshots.forecast', { host: `${origin}${basePath}`, endpoint, path, body })
}

/** Sends a write between two snapshots, and compares its forecast with what it did. */
async function checkDraft(
  { app, set, sendDraft, getOperation }: App,
  command: CommandDraft,
): Promise<SnapshotForecast> {
  const take = () => app.call('snapshots.take', { topicid: set.topicid, details: true })
  const before = await take()
  const { summary } = await sendDraft(command)
  const { path, body } = await getOperation(summary.id)
  const after = await take()
  const span = { startedAt: before.seenAt, endedAt: after.startedAt }
  return app.call('snapshots.forecast', { host: summary.host, endpoint: summary.endpoint, path, body, span })
}

test('the forecast of a write is what the demo host does, for every kind that it covers', async () => {
  const running = await startWritableApp()
  const { set } = running
  const random = createRandom(7)
  const pick = () => set.cards[random.nextInt(set.cards.length)]
  await running.app.call('snapshots.take', { topicid: set.topicid })
  for (let round = 0; round < 14; round += 1) {
    const [first, second] = [pick(), pick()]
    if (!first || !second) break
    const noteIds = [first.noteid, second.noteid]
    const commands = [
      draft('notes.move', { noteIds: [first.noteid], targetParentNoteId: second.noteid }),
      draft('notes.hashtags', { noteIds, operation: 'add', hashtags: [`#round${round}`] }),
      buildTitleDraft(first.noteid, `Round ${round}`),
      draft('notes.metadata', { noteIds, patch: { colorIndex: round % 16, fillIndex: 1 } }),
      draft('notes.delete', { noteIds: [first.noteid] }),
      draft('notes.comments', { text: `Comment ${round}` }, first.noteid),
      draft('notes.text', { text: `Text ${round}` }, second.noteid),
      draft('notes.blankBands', { height: 80 }, first.noteid),
      draft('notes.mergeBranch', { recursive: round % 2 === 0 }, first.parent ?? first.noteid),
      draft('notes.copy', { noteIds: [first.noteid], targetParentNoteId: second.noteid, mode: 'clone' }),
      draft('notes.fold', { noteIds, folded: true }),
    ]
    const command = commands[round % commands.length]
    if (!command) break
    const before = await forecastDraft(running, command)
    // A card cannot be moved below itself.
    if (before.outcome === 'silent') continue
    const after = await checkDraft(running, command)
    const facts = after.outcome === 'forecast' ? after.check : null
    expect({ command, facts }).toMatchObject({ facts: { differences: [], unchecked: 0 } })
  }
})

test('a comment that is changed or deleted, a sub-map and a folded leaf are as forecast', async () => {
  const running = await startWritableApp()
  const { set } = running
  const parent = set.cards.find(({ noteid }) => set.cards.some((card) => card.parent === noteid))
  const leaf = set.cards.find(({ noteid }) => !set.cards.some((card) => card.parent === noteid))
  const commented = set.cards.find(({ texts }) => texts.some(({ index }) => index > 0)) ?? parent
  if (!parent || !leaf || !commented) throw new Error('too few cards')
  if (!commented.texts.some(({ index }) => index === 1))
    commented.texts.push({ index: 1, text: 'A comment', excerpt: false, noteid: commented.noteid, kind: 'text' })
  const { noteid } = commented
  const toComment = (endpoint: string, body: object): CommandDraft => ({
    ...draft(endpoint, body),
    params: { noteid, index: '1' },
  })
  const commands = [
    toComment('notes.comment', { text: 'Changed by me' }),
    toComment('notes.deleteComment', {}),
    draft('notes.foldIntoSubMap', {}, parent.noteid),
    draft('notes.foldIntoSubMap', { undo: true }, parent.noteid),
    draft('notes.foldIntoSubMap', {}, leaf.noteid),
    draft('notes.fold', { noteIds: [parent.noteid, leaf.noteid], folded: true }),
  ]
  const counts: string[] = []
  for (const command of commands) {
    const after = await checkDraft(running, command)
    const facts = after.outcome === 'forecast' ? after.check : null
    expect({ command, facts }).toMatchObject({ facts: { differences: [], unchecked: 0 } })
    if (after.outcome === 'forecast') counts.push(`${after.cardCount} changed, ${after.unchanged} not`)
  }
  expect(counts).toEqual([
    ...['1 changed, 0 not', '1 changed, 0 not', '1 changed, 0 not', '1 changed, 0 not'],
    ...['0 changed, 1 not', '1 changed, 1 not'],
  ])
})

test('without a snapshot there is no forecast, nor where the contract says nothing', async () => {
  const running = await startWritableApp()
  const { app, card, set } = running
  const command = buildTitleDraft(card.noteid, 'By me')
  expect(await forecastDraft(running, command)).toEqual({ outcome: 'noSnapshot' })
  const restore = { endpoint: 'snapshots.restore', path: '/snapshots/V/restore', body: '{}' }
  const host = running.host.baseUrl
  expect(await app.call('snapshots.forecast', { host, ...restore })).toEqual({ outcome: 'silent' })
  const deck = { endpoint: 'decks.create', path: '/decks', body: '{}' }
  expect(await app.call('snapshots.forecast', { host, ...deck })).toEqual({ outcome: 'none' })
  const { title: before, noteid } = card
  await app.call('snapshots.take', { topicid: set.topicid })
  expect(await forecastDraft(running, command)).toMatchObject({
    ...{ outcome: 'forecast', basis: { topicid: set.topicid }, missing: 0, check: null },
    cards: [{ noteid, title: before, kinds: ['renamed'], members: [{ before, after: 'By me' }] }],
  })
})

test('what came otherwise is named, whoever did it', async () => {
  const running = await startWritableApp({
    alter: ({ path }, { status, body }) =>
      path.includes('/tree')
        ? { status, body: JSON.parse(JSON.stringify(body).replaceAll('By me', 'By somebody')) as unknown }
        : null,
  })
  const checked = await checkDraft(running, buildTitleDraft(running.card.noteid, 'By me'))
  expect(checked).toMatchObject({
    check: { differences: [{ kind: 'member', member: 'title', actual: 'By somebody' }], differenceCount: 1 },
  })
})
