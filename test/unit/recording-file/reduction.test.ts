import path from 'node:path'
import { expect, test } from 'vitest'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { createReducedSource } from '../../../electron/recording-file/reduction.ts'
import type { Deviation } from '../../../shared/contract/deviation.ts'
import type { RecordedExchange } from '../../../shared/recordings/recording.ts'
import type { Candidate } from '../../../electron/core/recordings/reduction/candidate.ts'
import { createRecordedExchange, createRecordingSource } from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

/** More than a call can have arguments. */
const EXCHANGES = 200_000

const PROGRAM = { name: 'Bridge Inspector', version: '1.0.0' }
const FACTS = { title: 'Case', program: PROGRAM, finding: null, groupId: null }

const createCandidate = (exchanges: readonly RecordedExchange[]): Candidate => ({
  ...{ exchanges, removedCards: new Set<string>() },
  readExchanges: () => exchanges,
  readBody: () => Promise.resolve(new Uint8Array()),
})

const createDeviation = (sampleSeq: number, lastSeq: number): Deviation => ({
  ...{ id: `d${lastSeq}`, method: 'GET', template: '/decks', endpoint: 'decks.list', pointer: '/x' },
  ...{
    kind: 'unknown-member',
    basis: 'spec',
    expected: '',
    actual: 'string',
    example: '"One"',
    count: 1,
    exchangeCount: 1,
  },
  ...{ firstAt: 1, lastAt: 2, firstSeq: 1, lastSeq, hostVersions: [], hasMoreVersions: false },
  ...{ hasUnknownVersion: true, sampleSeq, sampleId: `e${sampleSeq}`, muted: null, isNew: false },
})

test('the span of a case is told, however many exchanges it has', async () => {
  const file = path.join(createTempDir(), 'a.birec')
  await writeRecording(file, createRecordingSource(['{}']))
  const first = createRecordedExchange(1, '{}', { row: { startedAt: 100, durationMs: 1 } })
  const last = createRecordedExchange(2, '{}', { row: { startedAt: 200, durationMs: 5 } })
  const exchanges = Array.from({ length: EXCHANGES }, (_, index) => (index === 7 ? last : first))
  const recording = await openRecording(file)
  const source = await createReducedSource(recording, createCandidate(exchanges), FACTS)
  expect(source.describe().span).toEqual({ from: 100, to: 205 })
  await recording.close()
})

test('a case has no example of an exchange that it does not have', async () => {
  const file = path.join(createTempDir(), 'a.birec')
  const exchanges = [1, 2].map((seq) => createRecordedExchange(seq, '{}'))
  const deviations = [createDeviation(1, 2), createDeviation(1, 1)]
  await writeRecording(file, createRecordingSource(['{}'], { lines: { exchanges, deviations } }))
  const recording = await openRecording(file)
  const { lines } = await createReducedSource(recording, createCandidate(exchanges.slice(0, 1)), FACTS)
  expect(lines.deviations).toMatchObject([{ example: null }, { example: '"One"' }])
  await recording.close()
})
