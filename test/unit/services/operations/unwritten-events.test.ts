import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { OperationRecords } from '../../../../electron/services/operations/records/records.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { createFillableJournal, openTestJournal, createStoredOperation } from '../../../support/services/journal.ts'
import {
  ack,
  fail,
  intent,
  PENCIL,
  hostRestarted,
  pollResult,
  sentEvent,
} from '../../../support/services/operation-events.ts'
import { createServiceEnvironment } from '../../../support/services/service-environment.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/**
 * Creates records on a real journal whose disk can be full, and a function that adds an
 * accepted commit.
 */
function createRecords() {
  const real = openTestJournal(createTempDir())
  const { journal, disk } = createFillableJournal(real.journal)
  const unwritten: unknown[] = []
  const records = new OperationRecords({
    journal,
    bus: createServiceEnvironment().bus,
    onUnwritten: (error) => unwritten.push(error),
  })
  const addCommit = (id: string) => {
    const record = records.create(createStoredOperation(id, { endpoint: PENCIL, requestId: id }), intent)
    records.append(record, sentEvent)
    records.append(record, ack)
    return record
  }
  const readWrittenKinds = (id: string): string[] => journal.events(id).map(({ kind }) => kind)
  return { records, disk, unwritten, addCommit, readWrittenKinds, journal }
}
const JOURNAL_FAILED = expect.objectContaining({ code: 'JOURNAL_FAILED' }) as Error

describe('event that is observed while the disk is full', () => {
  test('is in the record at once, marked as unwritten, and is written as soon as there is space', async () => {
    const { records, disk, unwritten, addCommit, readWrittenKinds, journal } = createRecords()
    const record = addCommit('a')
    disk.full = true
    records.observe(record, pollResult({ settled: true, outcome: 'saved' }))
    records.observe(record, hostRestarted)
    expect(record.state).toBe('settled')
    expect(readWrittenKinds('a')).toEqual(['intent', 'sent', 'answer'])
    expect(unwritten.length).toBeGreaterThan(0)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(readWrittenKinds('a')).toHaveLength(3)
    disk.full = false
    await vi.advanceTimersByTimeAsync(5_000)
    expect(journal.events('a')).toEqual(record.events)
    expect(journal.load()).toMatchObject([{ id: 'a', isSeen: false }])
  })

  test('is written before any later event, which fails until then', () => {
    const { records, disk, addCommit, journal } = createRecords()
    const record = addCommit('a')
    const givenUp = { kind: 'given-up', at: 9, by: 'person' } as const
    disk.full = true
    records.observe(record, pollResult({ settled: false }))
    expect(() => records.append(record, givenUp)).toThrow(JOURNAL_FAILED)
    expect(() => addCommit('b')).toThrow(JOURNAL_FAILED)
    expect([record.state, records.find('b')]).toEqual(['pending', null])
    disk.full = false
    records.append(record, givenUp)
    expect(journal.events('a')).toEqual(record.events)
    disk.full = true
    records.observe(record, pollResult({ settled: false }))
    disk.full = false
    records.create(createStoredOperation('b'), intent)
    expect(journal.events('a')).toEqual(record.events)
  })

  test('is tried once more when the program ends, and nothing is tried later', () => {
    const { records, disk, addCommit, unwritten } = createRecords()
    const record = addCommit('a')
    disk.full = true
    records.observe(record, fail('maybe'))
    const before = unwritten.length
    records.dispose()
    expect(unwritten).toHaveLength(before + 1)
    records.observe(record, hostRestarted)
    expect(unwritten).toHaveLength(before + 1)
  })

  test('does not block others if its record is removed', () => {
    const { records, disk, addCommit, journal } = createRecords()
    const record = addCommit('a')
    disk.full = true
    records.observe(record, pollResult({ settled: true }))
    expect(() => records.remove([record])).toThrow(JOURNAL_FAILED)
    expect(records.find('a')).toBe(record)
    disk.full = false
    expect(records.remove([record])).toBe(1)
    addCommit('b')
    expect(journal.load().map(({ id }) => id)).toEqual(['b'])
  })

  test('does not block others if its record was removed before', () => {
    const { records, addCommit, journal, unwritten } = createRecords()
    const record = addCommit('a')
    records.remove([record])
    records.observe(record, pollResult({ settled: true }))
    expect(unwritten).toEqual([])
    addCommit('b')
    expect(journal.load().map(({ id }) => id)).toEqual(['b'])
  })
})
