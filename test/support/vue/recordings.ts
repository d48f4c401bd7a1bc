import { groupFindings, type Finding } from '../../../shared/protocol/finding.ts'
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

export const createRecordingInfo = (entry: RecordingEntry, findings: readonly Finding[] = []) => ({
  entry,
  manifest: {
    format: 'bridge-inspector-recording',
    version: 1,
    requiredParts: ['exchanges'],
    createdAt: 1_000,
    title: entry.name,
    program: { name: 'Bridge Inspector', version: '1.0.0' },
    host: entry.host,
    span: entry.span,
    selection: { kind: 'all' },
    parts: { exchanges: { entries: 1, lines: 3 } },
    leftOut: [{ what: 'bodies', count: 2, why: 'not-stored' }],
    redaction: entry.redaction,
  },
  unknownParts: [],
  steps: [
    { at: null, text: 'I pressed the button.', exchange: null, screenshot: null },
    { at: null, text: '', exchange: null, screenshot: '0001.png' },
  ],
  moments: [
    { at: 1_000, exchange: null, screenshot: 'panel-0001.png' },
    { at: 3_000, exchange: 2, screenshot: 'panel-0002.png' },
  ],
  report: { text: '# Recording\n\n- <b>', isCut: false },
  findings: groupFindings(findings),
})
