import { generateKeyPairSync } from 'node:crypto'
import { writeRecording, type RecordingSource } from '../../../electron/recording-file/recording-writer.ts'
import { createSigner } from '../../../electron/recording-file/seal.ts'
import { toRecordedExchange } from '../../../shared/recordings/recording.ts'
import type { ExchangeDetail } from '../../../shared/traffic/exchange.ts'
import type { ComposedApp } from './composed-app.ts'

const MAX_BODY_BYTES = 64_000_000

/** Everything that was recorded, oldest first. */
export async function listExchanges(app: ComposedApp): Promise<ExchangeDetail[]> {
  const { bytes } = await app.call('traffic.find', { filter: {}, sort: { by: 'time', descending: false } })
  return Promise.all([...new Uint32Array(bytes)].map((seq) => app.call('traffic.exchange', { seq })))
}

/**
 * Writes everything that the app has recorded.
 * @param baseUrl what the file says instead of the host's address
 */
export async function saveRecording(app: ComposedApp, file: string, baseUrl?: string): Promise<void> {
  const exchanges = await listExchanges(app)
  const bodies = new Map(
    exchanges.flatMap(({ row: { seq }, ...sides }) =>
      (['request', 'response'] as const).map((side) => [sides[side].hash, { seq, side }] as const),
    ),
  )
  const source: RecordingSource = {
    describe: () => ({
      createdAt: Date.now(),
      title: 'A day at work',
      program: { name: 'Bridge Inspector', version: '1.2.3' },
      host: { baseUrl: baseUrl ?? exchanges[0]?.row.host ?? null, name: null, version: null },
      span: { from: exchanges[0]?.row.startedAt ?? 0, to: Date.now() },
      selection: { kind: 'all' },
      leftOut: [],
      redaction: null,
    }),
    lines: { exchanges: exchanges.map((exchange) => toRecordedExchange(exchange)) },
    async loadBody(name) {
      const place = bodies.get(name)
      if (!place) return null
      return new Uint8Array((await app.call('traffic.body', { ...place, start: 0, end: MAX_BODY_BYTES })).bytes)
    },
  }
  await writeRecording(file, source, { sign: createSigner(generateKeyPairSync('ed25519').privateKey) })
}
