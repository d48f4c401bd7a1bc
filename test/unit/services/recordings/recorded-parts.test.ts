import { expect, test } from 'vitest'
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
    listRules: () => [],
  } as unknown as Arguments[1]
  const parts = await listRelatedParts(selection, sources)
  expect(parts.deviations.map(({ basis }) => basis)).toEqual(['spec', 'host'])
})
