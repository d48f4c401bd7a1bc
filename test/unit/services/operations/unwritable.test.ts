import { existsSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PreparedCommand } from '../../../../electron/services/operations/send/prepared-command.ts'
import { Tickets } from '../../../../electron/services/operations/send/tickets.ts'
import { AppError } from '../../../../shared/errors.ts'
import { buildCommitDraft, startWritableApp, buildTitleDraft } from '../../../support/program/writable-app.ts'

/**
 * Another program that locks the journal of a data directory, as a backup or a virus scanner does.
 */
function holdJournal(dataDir: string): () => void {
  const file = path.join(dataDir, 'journal.db')
  expect(existsSync(file)).toBe(true)
  const other = new DatabaseSync(file)
  other.exec('BEGIN EXCLUSIVE')
  let held = true
  const release = (): void => {
    if (held) other.exec('ROLLBACK')
    if (held) other.close()
    held = false
  }
  onTestFinished(release)
  return release
}

describe('safety 43: an unwritable journal', () => {
  test('blocks writes, says why, and allows them when it is writable again', async () => {
    const { app, card, listWrites } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Not yet'))
    const release = holdJournal(app.dataDir)
    const error = await app.callExpectingError('operations.send', { ticket })
    expect(error.wire.code).toBe('JOURNAL_FAILED')
    expect(error.message).toContain('Nothing is sent unless it is recorded first.')
    expect(listWrites()).toEqual([])
    expect((await app.call('operations.list', { offset: 0, limit: 10 })).total).toBe(0)
    release()
    const again = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Now'))
    expect((await app.call('operations.send', { ticket: again.ticket })).summary.state).toBe('persisted')
    expect(listWrites()).toHaveLength(1)
  })

  test('loses nothing observed meanwhile: it is journaled once possible', async () => {
    const { app, set, card, sendDraft, getOperation } = await startWritableApp({ host: { settleMs: 1_000 } })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    const release = holdJournal(app.dataDir)
    await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('settled')
    release()
    const stored = (): string[] => {
      const database = new DatabaseSync(path.join(app.dataDir, 'journal.db'), { readOnly: true })
      const rows = database.prepare('SELECT event FROM events ORDER BY place').all() as { event: string }[]
      database.close()
      return rows.map(({ event }) => (JSON.parse(event) as { kind: string }).kind)
    }
    const seen = async (): Promise<string[]> => (await getOperation(summary.id)).events.map(({ kind }) => kind)
    await expect.poll(async () => (await seen()).at(-1)).toBe('read-back')
    await expect.poll(stored).toEqual(await seen())
  })
})

test('safety 46: what was sent is watched to its end, whatever happens to the page', async () => {
  const { app, set, card, sendDraft, getOperation } = await startWritableApp({ host: { settleMs: 800 } })
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  app.app.dispatcher.removeCaller('page')
  await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('settled')
})

describe('a ticket', () => {
  afterEach(() => vi.useRealTimers())
  const command = { path: '/a' } as PreparedCommand
  const codeOf = (work: () => unknown): string | undefined => {
    try {
      work()
      return undefined
    } catch (error) {
      return error instanceof AppError ? error.wire.code : String(error)
    }
  }

  test('is good for ten minutes', () => {
    vi.useFakeTimers()
    const tickets = new Tickets()
    const { ticket, expiresAt } = tickets.issue(command, 'b')
    expect(expiresAt - Date.now()).toBe(600_000)
    vi.advanceTimersByTime(600_000)
    expect(tickets.peek(ticket, () => 'b')).toBe(command)
    vi.advanceTimersByTime(1)
    expect(codeOf(() => tickets.take(ticket, () => 'b'))).toBe('TICKET_INVALID')
  })

  test('is good for one send of what it was bound to, and a made-up one is not a ticket', () => {
    const tickets = new Tickets()
    const { ticket } = tickets.issue(command, 'b')
    expect(codeOf(() => tickets.take(`${ticket}x`, () => 'b'))).toBe('TICKET_INVALID')
    expect(tickets.take(ticket, () => 'b')).toBe(command)
    expect(codeOf(() => tickets.take(ticket, () => 'b'))).toBe('TICKET_INVALID')
    const other = tickets.issue(command, 'b')
    expect(codeOf(() => tickets.take(other.ticket, () => 'another host'))).toBe('TICKET_STALE')
    expect(codeOf(() => tickets.take(other.ticket, () => 'b'))).toBe('TICKET_INVALID')
  })

  test('is dropped once two hundred newer ones have been issued', () => {
    const tickets = new Tickets()
    const { ticket } = tickets.issue(command, 'b')
    for (let n = 0; n < 200; n += 1) tickets.issue(command, 'b')
    expect(codeOf(() => tickets.peek(ticket, () => 'b'))).toBe('TICKET_INVALID')
  })
})
