import { hash } from 'node:crypto'
import type { Finding } from '../../shared/protocol/finding.ts'
import type { Candidate, ReducibleRecording } from '../core/recordings/reduction/candidate.ts'
import {
  computeTimeSpan,
  limitExample,
  listLeftOut,
  type RecordingManifest,
} from '../../shared/recordings/recording.ts'
import type { RecordingFile } from './recording-file.ts'
import { listSnapshotInfos } from './recording-reader.ts'
import type { RecordingSource } from './recording-writer.ts'

/** Bodies are read for each candidate; more bytes than these are read from the file again. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024

export function nameBody(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

export async function loadReducibleRecording(file: RecordingFile): Promise<ReducibleRecording> {
  const exchanges = await file.listLines('exchanges')
  const bodies = new Map<string, Uint8Array>()
  let byteCount = 0
  return {
    exchanges,
    async readBody(name) {
      const stored = bodies.get(name)
      if (stored) return stored
      const bytes = await file.readBody(name)
      byteCount += bytes.byteLength
      if (byteCount <= MAX_CACHED_BYTES) bodies.set(name, bytes)
      else byteCount -= bytes.byteLength
      return bytes
    },
  }
}

/** The same mistake of the same exchange. Ids may have texts, which a redaction replaces. */
export function isSameFinding(first: Finding, second: Finding): boolean {
  return first.rule === second.rule && first.exchanges.at(-1) === second.exchanges.at(-1)
}

interface ReducedFacts {
  readonly title: string
  readonly program: RecordingManifest['program']
  /** Null for a command that fails. */
  readonly finding: Finding | null
  readonly groupId: string | null
}

export async function createReducedSource(
  file: RecordingFile,
  candidate: Candidate,
  { title, program, finding, groupId }: ReducedFacts,
): Promise<RecordingSource> {
  const { manifest } = file
  const rows = candidate.exchanges.map(({ row }) => row)
  const [seqs, ids, rules] = [
    new Set(rows.map(({ seq }) => seq)),
    new Set(rows.map(({ id }) => id)),
    new Set(rows.map(({ rule }) => rule)),
  ]
  const findings = await file.listLines('findings', ({ exchanges }) => exchanges.every((seq) => seqs.has(seq)))
  if (finding && findings.every((other) => !isSameFinding(other, finding))) findings.push(finding)
  const deviations = await file.listLines('deviations', ({ sampleSeq }) => sampleSeq !== null && seqs.has(sampleSeq))
  const lines = {
    exchanges: candidate.exchanges,
    operations: await file.listLines('operations', ({ events }) =>
      events.some((event) => 'exchangeId' in event && ids.has(event.exchangeId)),
    ),
    findings,
    deviations: deviations.map((deviation) => limitExample(deviation, seqs)),
    overrides: await file.listLines('overrides', ({ name }) => rules.has(name)),
    steps: (await file.listLines('steps', ({ exchange }) => exchange === null || seqs.has(exchange))).map((step) => ({
      ...step,
      screenshot: null,
    })),
  }
  const snapshotCount = (await listSnapshotInfos(file)).length
  const remaining = new Map<string, number>(Object.entries(lines).map(([part, list]) => [part, list.length]))
  const removed = Object.fromEntries(
    Object.entries(manifest.parts)
      .filter(([part]) => !['bodies', 'snapshots', 'report'].includes(part))
      .map(([part, counts]) => [part, (counts.lines ?? counts.entries) - (remaining.get(part) ?? 0)]),
  )
  const spanRows = candidate.exchanges.filter(({ context }) => context !== true).map(({ row }) => row)
  return {
    describe: () => ({
      createdAt: Date.now(),
      title,
      program,
      host: manifest.host,
      redaction: manifest.redaction,
      span: computeTimeSpan(spanRows),
      selection: { kind: 'reduction', title: manifest.title, createdAt: manifest.createdAt, finding: groupId },
      leftOut: [
        ...manifest.leftOut,
        ...listLeftOut('not-needed', { ...removed, snapshots: snapshotCount, cards: candidate.removedCards.size }),
      ],
    }),
    lines,
    loadBody: (name) => candidate.readBody(name),
  }
}
