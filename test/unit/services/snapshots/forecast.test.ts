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
  for (let round = 0; round < 16; round += 1) {
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

test('without a snapshot there is no forecast, nor where the contract says nothing', async () => {
  const running = await startWritableApp()
  const { app, card, set } = running
  const command = buildTitleDraft(card.noteid, 'By me')
  expect(await forecastDraft(running, command)).toEqual({ outcome: 'noSnapshot' })
  expect(await forecastDraft(running, draft('notes.mergeBranch', {}, card.noteid))).toEqual({ outcome: 'silent' })
  const { title, noteid } = card
  await app.call('snapshots.take', { topicid: set.topicid })
  expect(await forecastDraft(running, command)).toMatchObject({
    ...{ outcome: 'forecast', basis: { topicid: set.topicid }, missing: 0, check: null },
    cards: [{ noteid, title, kinds: ['renamed'], members: [{ before: title, after: 'By me' }] }],
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
