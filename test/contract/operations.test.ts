import { expect, onTestFinished, test } from 'vitest'
import type { MethodName } from '../../shared/ipc/index.ts'
import type { Operation } from '../../shared/ipc/operations.ts'
import type { PreparedWrite } from '../../shared/operations/prepared-write.ts'
import type { EventMessage, CallReply } from '../../shared/ipc/method-definition.ts'
import { buildCommitDraft, startWritableApp, buildTitleDraft } from '../support/program/writable-app.ts'
import { clonedIpcTo, overHttpTo, type TestTransport } from './transports.ts'

type Start = typeof clonedIpcTo

/** Opens a page of the whole program over one of the transports, with its own demo host. */
async function pageOf(start: Start) {
  const { app, set, card, profileId, listWrites } = await startWritableApp({ host: { settleMs: 60_000 } })
  const transport: TestTransport = await start({ door: app.app.dispatcher })
  onTestFinished(() => transport.close())
  const events: EventMessage[] = []
  onTestFinished(
    transport.transport.listen(
      (event) => events.push(event),
      () => undefined,
    ),
  )
  let next = 0
  const ask = (method: MethodName, input: unknown): Promise<CallReply> =>
    transport.transport.call({ id: String((next += 1)), method, input })
  const value = async <T>(method: MethodName, input: unknown): Promise<T> => {
    const reply = await ask(method, input)
    if (!reply.ok) throw new Error(reply.error.message)
    return reply.value as T
  }
  const code = async (method: MethodName, input: unknown): Promise<string> => {
    const reply = await ask(method, input)
    return reply.ok ? 'ok' : (reply.error.code ?? reply.error.kind)
  }
  return { value, code, events, set, card, profileId, writes: listWrites }
}

/** Sends a write and returns what the page sees of it, without values that differ between runs. */
async function story(start: Start) {
  const { value, code, events, set, card, profileId, writes } = await pageOf(start)
  const reports: unknown[] = []
  const prepared = await value<PreparedWrite>('operations.prepare', buildTitleDraft(card.noteid, '标题 🫀'))
  reports.push([prepared.method, prepared.body, prepared.added, prepared.headers['Authorization'], prepared.canPreview])
  const { ticket } = prepared
  reports.push(await value('operations.preview', { ticket }).then((preview) => Object.keys(preview as object).sort()))
  const done = await value<Operation>('operations.send', { ticket })
  reports.push([done.summary.state, done.summary.verdict, done.changes, done.events.map(({ kind }) => kind)])
  reports.push(await code('operations.send', { ticket }), writes().length)

  const pending = await value<PreparedWrite>('operations.prepare', buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  const operation = await value<Operation>('operations.send', { ticket: pending.ticket })
  const { id } = operation.summary
  reports.push([operation.summary.state, operation.summary.tracking, operation.summary.verdict.code])
  for (const method of ['operations.stop', 'operations.resume', 'operations.look', 'operations.readBack'] as const) {
    const { summary } = await value<Operation>(method, { id })
    reports.push([method, summary.state, summary.tracking])
  }
  const watched = await value<Operation>('operations.watch', { requestId: 'r-1' })
  reports.push(watched.summary.id === id)
  const list = await value<{ total: number; topicids: string[] }>('operations.list', { offset: 0, limit: 10 })
  reports.push([list.total, list.topicids.length])
  reports.push(await value('operations.seen', { id }), await value('operations.readBackAll', {}))

  reports.push(
    await value('operations.unlock', { profileId, scope: 'lock' }).then((now) => (now as { writing: string }).writing),
  )
  reports.push(await code('operations.prepare', buildTitleDraft(card.noteid, 'x')))
  reports.push(await code('operations.get', { id: 'none' }), await code('operations.get', { id: 7 }))
  reports.push(
    await code('operations.list', { offset: -1, limit: 10 }),
    await code('operations.send', { ticket: 'made-up' }),
  )
  await expect.poll(() => events.some(({ topic }) => topic === 'operations.changed')).toBe(true)
  await expect.poll(() => events.some(({ topic }) => topic === 'operations.writing')).toBe(true)
  return reports
}

test('a write passes through the same states over both transports', async () => {
  const [ipc, http] = [await story(clonedIpcTo), await story(overHttpTo)]
  const text = JSON.stringify(ipc, null, 1)
  // Both runs use the same demo library, so the cards and their titles are equal as well.
  expect(http).toEqual(ipc)
  expect(text).toContain('saved-and-verified')
  expect(ipc).toContain('TICKET_INVALID')
  expect(ipc).toContain('READ_ONLY')
  expect(ipc.filter((code) => code === 'INPUT_INVALID')).toHaveLength(2)
  expect(ipc).toContain('OPERATION_UNKNOWN')
  expect(ipc).toContainEqual(['operations.stop', 'given-up', 'stopped'])
  expect(ipc).toContainEqual(['operations.resume', 'pending', 'polling'])
})
