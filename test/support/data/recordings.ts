import { createHash } from 'node:crypto'
import { openZip } from '../../../electron/recording-file/zip-file.ts'
import { ZipWriter } from '../../../electron/recording-file/zip-writer.ts'
import type { RecordingSource } from '../../../electron/recording-file/recording-writer.ts'
import type { Deviation } from '../../../shared/contract/deviation.ts'
import type { ManifestFacts, RecordedExchange, RecordedPanelNote } from '../../../shared/recordings/recording.ts'
import { toRecordedExchange } from '../../../shared/recordings/recording.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import { createExchangeDetail } from '../vue/exchanges.ts'

export const getBodyName = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

/** The facts of a recording whose parts are given elsewhere. */
export const createManifestFacts = (changed: Partial<ManifestFacts> = {}): ManifestFacts => ({
  createdAt: 1_700_000_000_000,
  title: 'A panel that fails',
  program: { name: 'Bridge Inspector', version: '0.1.0' },
  host: { baseUrl: 'http://127.0.0.1:42340/bridge/v1', name: 'Host', version: '4.3.0' },
  span: { from: 1_000_000, to: 1_000_020 },
  selection: { kind: 'all' },
  leftOut: [],
  redaction: null,
  ...changed,
})

/** An exchange whose response has this body. */
export function createRecordedExchange(
  seq: number,
  body: Uint8Array | string,
  row: Parameters<typeof createExchangeDetail>[0] = {},
): RecordedExchange {
  const bytes = Buffer.byteLength(body)
  return toRecordedExchange(
    createExchangeDetail({
      ...row,
      row: { seq, id: `exchange-${seq}`, startedAt: 1_000_000 + seq, ...row.row },
      response: { total: bytes, kept: bytes, missing: null, hash: getBodyName(body), mediaType: 'application/json' },
    }),
  )
}

/** A line of a panel's console. */
export const createRecordedPanelNote = (seq: number, changed: Partial<RecordedPanelNote> = {}): RecordedPanelNote => ({
  seq,
  at: 1_000_000 + seq,
  kind: 'console',
  level: 'info',
  what: null,
  text: `Line ${seq}`,
  textLength: 8,
  file: 'http://panel.localhost/main.js',
  line: seq,
  column: 3,
  original: null,
  calls: [],
  rejectedCall: null,
  caller: 'panel-1',
  ...changed,
})

/** A snapshot of one card that was read from the host of the other records here. */
export const createSnapshotInfo = (endedAt: number, changed: Partial<SnapshotInfo> = {}): SnapshotInfo => ({
  id: 1,
  topicid: 'T1',
  host: 'http://127.0.0.1:42340/bridge/v1',
  startedAt: endedAt - 10,
  endedAt,
  seenAt: endedAt,
  origin: { kind: 'place', label: null },
  isRequested: true,
  cards: 1,
  detailed: 0,
  excerpts: null,
  palette: null,
  pages: 1,
  hostCount: 1,
  gaps: [],
  isInTreeOrder: true,
  members: ['title'],
  anomalies: { duplicates: 0, orphans: 0, circles: 0 },
  bytes: null,
  ...changed,
})

/** A deviation of the first two exchanges. */
export const createRecordedDeviation = (changed: Partial<Deviation> = {}): Deviation => ({
  id: 'wrong-type GET /status /app',
  method: 'GET',
  template: '/status',
  endpoint: 'status.get',
  pointer: '/app',
  kind: 'wrong-type',
  basis: 'spec',
  expected: 'string',
  actual: 'number',
  example: '1',
  count: 3,
  exchangeCount: 3,
  firstAt: 1_000_001,
  lastAt: 1_000_002,
  firstSeq: 1,
  lastSeq: 2,
  hostVersions: ['4.3.0'],
  hasMoreVersions: false,
  hasUnknownVersion: false,
  sampleSeq: 1,
  sampleId: 'exchange-1',
  muted: null,
  isNew: false,
  ...changed,
})

/** A recording of exchanges with these response bodies. */
export function createRecordingSource(
  bodies: readonly (Uint8Array | string)[],
  changed: Partial<RecordingSource> = {},
): RecordingSource {
  const bytesByName = new Map(bodies.map((body) => [getBodyName(body), Buffer.from(body)]))
  return {
    describe: createManifestFacts,
    lines: { exchanges: bodies.map((body, index) => createRecordedExchange(index + 1, body)) },
    loadBody: async (name) => bytesByName.get(name) ?? null,
    ...changed,
  }
}

/** Copies a recording with what `change` makes of its entries, as somebody does who forges it. */
export async function rewriteEntries(
  file: string,
  target: string,
  change: (entries: Map<string, Buffer>) => ReadonlyMap<string, Buffer>,
): Promise<void> {
  const zip = await openZip(file)
  const entries = new Map<string, Buffer>()
  for (const name of zip.entries.keys()) entries.set(name, await zip.readWhole(name, 10_000_000))
  await zip.close()
  await ZipWriter.write(target, new Date(), undefined, async (writer) => {
    for (const [name, bytes] of change(entries)) await writer.add(name, bytes, true)
  })
}

/** Copies a recording as somebody does who changes entries, or adds some, and no checksum. */
export const forgeRecording = (
  file: string,
  target: string,
  forge: { readonly [entry: string]: (text: string) => string },
): Promise<void> =>
  rewriteEntries(file, target, (entries) => {
    for (const [name, change] of Object.entries(forge))
      entries.set(name, Buffer.from(change(entries.get(name)?.toString() ?? '')))
    return entries
  })
