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

/** Records on a real journal whose disk can be full, with an accepted commit. */
function recorded() {
  const real = openTestJournal(createTempDir())
  const { journal, disk } = createFillableJournal(real.journal)
  const unwritten: unknown[] = []
  const records = new OperationRecords({
    journal,
    bus: createServiceEnvironment().bus,
    onUnwritten: (error) => unwritten.push(error),
  })
  const add = (id: string) => {
    const made = records.create(createStoredOperation(id, { endpoint: PENCIL, requestId: id }), intent)
    records.append(made, sentEvent)
    records.append(made, ack)
    return made
  }
  const written = (id: string): string[] => journal.events(id).map(({ kind }) => kind)
  return { records, disk, unwritten, add, written, journal }
}
const failed = expect.objectContaining({ code: 'JOURNAL_FAILED' }) as Error

describe('what was observed while the disk was full', () => {
  test('is in the record at once, marked as unwritten, and written automatically when there is space', async () => {
    const { records, disk, unwritten, add, written, journal } = recorded()
    const one = add('a')
    disk.full = true
    records.observe(one, pollResult({ settled: true, outcome: 'saved' }))
    records.observe(one, hostRestarted)
    expect(one.state).toBe('settled')
    expect(written('a')).toEqual(['intent', 'sent', 'answer'])
    expect(unwritten.length).toBeGreaterThan(0)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(written('a')).toHaveLength(3)
    disk.full = false
    await vi.advanceTimersByTimeAsync(5_000)
    expect(journal.events('a')).toEqual(one.events)
    expect(journal.load()).toMatchObject([{ id: 'a', isSeen: false }])
  })

  test('is written before anything that comes after it, and until then nothing comes after it', () => {
    const { records, disk, add, journal } = recorded()
    const one = add('a')
    const givenUp = { kind: 'given-up', at: 9, by: 'person' } as const
    disk.full = true
    records.observe(one, pollResult({ settled: false }))
    expect(() => records.append(one, givenUp)).toThrow(failed)
    expect(() => add('b')).toThrow(failed)
    expect([one.state, records.find('b')]).toEqual(['pending', null])
    disk.full = false
    records.append(one, givenUp)
    expect(journal.events('a')).toEqual(one.events)
    disk.full = true
    records.observe(one, pollResult({ settled: false }))
    disk.full = false
    records.create(createStoredOperation('b'), intent)
    expect(journal.events('a')).toEqual(one.events)
  })

  test('is tried once more at the end of the program, and nothing after it', () => {
    const { records, disk, add, unwritten } = recorded()
    const one = add('a')
    disk.full = true
    records.observe(one, fail('maybe'))
    const before = unwritten.length
    records.dispose()
    expect(unwritten).toHaveLength(before + 1)
    records.observe(one, hostRestarted)
    expect(unwritten).toHaveLength(before + 1)
  })

  test('of a record removed then gets in no one’s way', () => {
    const { records, disk, add, journal } = recorded()
    const one = add('a')
    disk.full = true
    records.observe(one, pollResult({ settled: true }))
    expect(() => records.remove([one])).toThrow(failed)
    expect(records.find('a')).toBe(one)
    disk.full = false
    expect(records.remove([one])).toBe(1)
    add('b')
    expect(journal.load().map(({ id }) => id)).toEqual(['b'])
  })

  test('of a record already gone gets in no one’s way', () => {
    const { records, add, journal, unwritten } = recorded()
    const one = add('a')
    records.remove([one])
    records.observe(one, pollResult({ settled: true }))
    expect(unwritten).toEqual([])
    add('b')
    expect(journal.load().map(({ id }) => id)).toEqual(['b'])
  })
})
