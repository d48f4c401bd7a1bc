import { expect, test } from 'vitest'
import { countOwnPictures } from '../../../../electron/services/recordings/own-steps.ts'
import { createPreview } from '../../../../electron/services/recordings/recording-preview.ts'
import { RecordingRedaction } from '../../../../electron/services/recordings/redaction/recording-redaction.ts'
import { DEFAULT_REDACTION } from '../../../../shared/recordings/recording.ts'
import { createPng } from '../../../support/data/pictures.ts'
import { listRelatedParts } from '../../../../electron/services/recordings/recorded-parts.ts'

type Arguments = Parameters<typeof listRelatedParts>

test('what differs only from another host is no deviation of a recording', async () => {
  const seqs = new Set([7])
  const empty = new Set<string>()
  const selection = {
    selection: { kind: 'traffic' },
    exchanges: [],
    seqs,
    ids: empty,
    span: null,
    hosts: empty,
    panelCallers: empty,
    rules: empty,
    topicids: empty,
  } as unknown as Arguments[0]
  const deviation = { example: '', sampleSeq: 7, firstSeq: 7, lastSeq: 7 }
  const deviations = ['spec', 'host', 'observed'].map((basis) => ({ ...deviation, basis }))
  const sources = {
    store: { listDeviations: () => Promise.resolve({ deviations }) },
    records: { all: [] },
    findings: { listAll: () => [] },
    snapshots: { list: () => Promise.resolve([]) },
    listNotes: () => [],
    listPictures: () => Promise.resolve([]),
    listRules: () => [],
  } as unknown as Arguments[1]
  const parts = await listRelatedParts(selection, sources)
  expect(parts.deviations.map(({ basis }) => basis)).toEqual(['spec', 'host'])
})

test('pictures of the panels that made selected calls belong to the loads of these', async () => {
  const selection = {
    exchanges: [],
    seqs: new Set([7]),
    ids: new Set(),
    span: { from: 2_000, to: 3_000 },
    hosts: new Set(),
    panelCallers: new Set(['opening-1']),
    rules: new Set(),
    topicids: new Set(),
    bodies: new Map(),
  } as unknown as Arguments[0]
  const toPicture = (timestamp: number, seq: number | null, caller = 'opening-1') => ({
    at: timestamp,
    seq,
    caller,
    bytes: createPng(),
  })
  const sources = {
    store: { listDeviations: () => Promise.resolve({ deviations: [] }) },
    records: { all: [] },
    findings: { listAll: () => [] },
    snapshots: { list: () => Promise.resolve([]) },
    listNotes: () =>
      [500, 1_500, 4_000].map((timestamp) => ({ kind: 'load', at: timestamp, text: '', textLength: 0, file: '' })),
    listPictures: () =>
      Promise.resolve([
        toPicture(1_000, 1),
        toPicture(1_600, null),
        toPicture(2_100, 7, 'opening-0'),
        toPicture(2_200, 7),
        toPicture(2_300, 8),
        { ...toPicture(2_350, 7), bytes: null },
        { ...toPicture(2_400, 7), bytes: new Uint8Array([1]) },
        toPicture(4_000, 9),
      ]),
    listRules: () => [],
  } as unknown as Arguments[1]
  const related = await listRelatedParts(selection, sources)
  const names = ['panel-0001.png', 'panel-0002.png', 'panel-0003.png']
  expect(related.moments).toEqual([
    { at: 1_600, exchange: null, screenshot: names[0] },
    { at: 2_200, exchange: 7, screenshot: names[1] },
    { at: 2_300, exchange: null, screenshot: names[2] },
    { at: 2_350, exchange: 7, screenshot: null },
  ])
  expect([...related.screenshots.keys()]).toEqual(names)
  const preview = await createPreview({
    selection,
    related,
    store: {} as never,
    leftOut: [],
    signal: new AbortController().signal,
    createRedaction: () => new RecordingRedaction({ policy: DEFAULT_REDACTION, tokens: [] }),
  })
  expect(preview.counts).toMatchObject({ moments: 4, screenshots: 3 })
  expect(countOwnPictures(preview, 2, DEFAULT_REDACTION).counts).toMatchObject({ moments: 3, screenshots: 5 })
})
