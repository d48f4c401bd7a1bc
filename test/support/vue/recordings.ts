import { RedactionTally } from '../../../shared/recordings/redaction/redaction-tally.ts'
import type { RecordingEntry, RecordingPreview } from '../../../shared/ipc/recordings.ts'

export const createRecordingEntry = (changed: Partial<RecordingEntry> = {}): RecordingEntry => ({
  id: 'recording',
  file: `/data/recordings/${changed.name ?? 'Session'}.birec`,
  name: 'Session',
  savedAt: 1_700_000_000_000,
  openedAt: null,
  isRemoved: false,
  isInDataDir: true,
  bytes: 4_096,
  span: { from: 1_700_000_000_000, to: 1_700_000_060_000 },
  host: { baseUrl: 'http://127.0.0.1:42340/bridge/v1', name: 'Host', version: '4.3.0' },
  counts: { exchanges: 3, bodies: 2 },
  redaction: { texts: 'placeholder', ids: 'keep', pictures: 'grey' },
  fingerprint: 'ab12 cd34',
  served: null,
  ...changed,
})

export const createRecordingPreview = (changed: Partial<RecordingPreview> = {}): RecordingPreview => ({
  counts: { exchanges: 12, bodies: 8, operations: 1 },
  bodyBytes: 2_048,
  span: { from: 1_700_000_000_000, to: 1_700_000_060_000 },
  hosts: ['http://127.0.0.1:42340/bridge/v1'],
  contextExchanges: 0,
  leftOut: [],
  redacted: new RedactionTally().getPreview(),
  sampledExchanges: 12,
  ...changed,
})
