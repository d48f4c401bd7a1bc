import path from 'node:path'
import { expect, test } from 'vitest'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { createReducedSource } from '../../../electron/recording-file/reduction.ts'
import { createRecordedExchange, createRecordingSource } from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

/** More than a call can have arguments. */
const EXCHANGES = 200_000

test('the span of a case is told, however many exchanges it has', async () => {
  const file = path.join(createTempDir(), 'a.birec')
  await writeRecording(file, createRecordingSource(['{}']))
  const first = createRecordedExchange(1, '{}', { row: { startedAt: 100, durationMs: 1 } })
  const last = createRecordedExchange(2, '{}', { row: { startedAt: 200, durationMs: 5 } })
  const exchanges = Array.from({ length: EXCHANGES }, (_, index) => (index === 7 ? last : first))
  const candidate = {
    ...{ exchanges, removedCards: new Set<string>() },
    readExchanges: async function* () {
      yield* exchanges
    },
    readBody: () => Promise.resolve(new Uint8Array()),
  }
  const program = { name: 'Bridge Inspector', version: '1.0.0' }
  const recording = await openRecording(file)
  const facts = { title: 'Case', program, finding: null, groupId: null }
  const source = await createReducedSource(recording, candidate, facts)
  expect(source.describe().span).toEqual({ from: 100, to: 205 })
  await recording.close()
})
