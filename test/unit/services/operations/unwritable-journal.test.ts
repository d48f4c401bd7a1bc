/** @module-tag slow */

import { existsSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PreparedCommand } from '../../../../electron/services/operations/send/prepared-command.ts'
import { Tickets } from '../../../../electron/services/operations/send/tickets.ts'
import { AppError } from '../../../../shared/errors.ts'
import { buildCommitDraft, startWritableApp, buildTitleDraft } from '../../../support/program/writable-app.ts'

/**
 * Locks the journal of a data directory from another connection, as a backup or a virus
 * scanner does.
 */
function holdJournal(dataDir: string): () => void {
  const file = path.join(dataDir, 'journal.db')
  expect(existsSync(file)).toBe(true)
  const other = new DatabaseSync(file)
  other.exec('BEGIN EXCLUSIVE')
  let isHeld = true
  const release = (): void => {
    if (isHeld) other.exec('ROLLBACK')
    if (isHeld) other.close()
    isHeld = false
  }
  onTestFinished(release)
  return release
}

describe('safety 43: unwritable journal', () => {
  test('blocks writes with a reason, and allows them when it is writable again', async () => {
    const { app, card, listWrites } = await startWritableApp()
    const { ticket } = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Not yet'))
    const release = holdJournal(app.dataDir)
    const error = await app.callExpectingError('operations.send', { ticket })
    expect(error.wire.code).toBe('JOURNAL_FAILED')
    expect(error.message).toContain('Nothing is sent unless it is recorded first.')
    expect(listWrites()).toEqual([])
    expect((await app.call('operations.list', { offset: 0, limit: 10 })).total).toBe(0)
    release()
    const preparedAgain = await app.call('operations.prepare', buildTitleDraft(card.noteid, 'Now'))
    expect((await app.call('operations.send', { ticket: preparedAgain.ticket })).summary.state).toBe('persisted')
    expect(listWrites()).toHaveLength(1)
  })

  test('loses no observed event, because all are journaled once it is writable', async () => {
    const { app, set, card, sendDraft, getOperation } = await startWritableApp({ host: { settleMs: 1_000 } })
    const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
    const release = holdJournal(app.dataDir)
    await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('settled')
    release()
    const readStoredKinds = (): string[] => {
      const database = new DatabaseSync(path.join(app.dataDir, 'journal.db'), { readOnly: true })
      const rows = database.prepare('SELECT event FROM events ORDER BY place').all() as { event: string }[]
      database.close()
      return rows.map(({ event }) => (JSON.parse(event) as { kind: string }).kind)
    }
    const fetchKinds = async (): Promise<string[]> => (await getOperation(summary.id)).events.map(({ kind }) => kind)
    await expect.poll(async () => (await fetchKinds()).at(-1)).toBe('read-back')
    await expect.poll(readStoredKinds).toEqual(await fetchKinds())
  })
})

test('safety 46: a sent command is watched to its end, whatever happens to the page', async () => {
  const { app, set, card, sendDraft, getOperation } = await startWritableApp({ host: { settleMs: 800 } })
  const { summary } = await sendDraft(buildCommitDraft(set.topicid, card.noteid, 'r-1'))
  app.app.dispatcher.removeCaller('page')
  await expect.poll(async () => (await getOperation(summary.id)).summary.state).toBe('settled')
})

describe('ticket', () => {
  afterEach(() => vi.useRealTimers())
  const command = { path: '/a' } as PreparedCommand
  const catchErrorCode = (work: () => unknown): string | undefined => {
    try {
      work()
      return undefined
    } catch (error) {
      return error instanceof AppError ? error.wire.code : String(error)
    }
  }

  test('expires after ten minutes', () => {
    vi.useFakeTimers()
    const tickets = new Tickets()
    const { ticket, expiresAt } = tickets.issue(command, 'b')
    expect(expiresAt - Date.now()).toBe(600_000)
    vi.advanceTimersByTime(600_000)
    expect(tickets.peek(ticket, () => 'b')).toBe(command)
    vi.advanceTimersByTime(1)
    expect(catchErrorCode(() => tickets.take(ticket, () => 'b'))).toBe('TICKET_INVALID')
  })

  test('works for one send of the command it is bound to, and cannot be invented', () => {
    const tickets = new Tickets()
    const { ticket } = tickets.issue(command, 'b')
    expect(catchErrorCode(() => tickets.take(`${ticket}x`, () => 'b'))).toBe('TICKET_INVALID')
    expect(tickets.take(ticket, () => 'b')).toBe(command)
    expect(catchErrorCode(() => tickets.take(ticket, () => 'b'))).toBe('TICKET_INVALID')
    const other = tickets.issue(command, 'b')
    expect(catchErrorCode(() => tickets.take(other.ticket, () => 'another host'))).toBe('TICKET_STALE')
    expect(catchErrorCode(() => tickets.take(other.ticket, () => 'b'))).toBe('TICKET_INVALID')
  })

  test('is dropped after two hundred newer ones', () => {
    const tickets = new Tickets()
    const { ticket } = tickets.issue(command, 'b')
    for (let n = 0; n < 200; n += 1) tickets.issue(command, 'b')
    expect(catchErrorCode(() => tickets.peek(ticket, () => 'b'))).toBe('TICKET_INVALID')
  })
})
