import { expect, test } from 'vitest'
import { selectExchanges, type SelectionSources } from '../../../../electron/services/recordings/exchange-selection.ts'
import { listMissing } from '../../../../electron/services/recordings/recording-source.ts'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import type { RawEntry } from '../../../../electron/services/traffic/entry.ts'
import type { Finding } from '../../../../shared/protocol/finding.ts'
import type { RecordingSelectionInput } from '../../../../shared/ipc/recordings.ts'
import { createBody, createEntry } from '../../../support/services/traffic.ts'

const never = new AbortController().signal
const panel = { kind: 'panel', label: 'My panel', caller: 'opening-1' } as const

function createSources(entries: readonly RawEntry[], findings: readonly Finding[] = []) {
  const store = createMemoryStore({ reason: 'TRAFFIC_VISIT', onChange: () => undefined })
  for (const entry of entries) store.add(entry)
  const sources: SelectionSources = {
    store,
    findings: { listAll: () => [...findings] },
    records: { find: () => null },
  }
  const select = async (input: RecordingSelectionInput) => {
    const selection = await selectExchanges(input, sources, never)
    const rows = await store.rows(selection.exchanges.map(({ seq }) => seq))
    return { ...selection, paths: rows.map(({ path }) => path) }
  }
  return { store, select }
}

const createRead = (path: string, startedAt: number, row: Partial<RawEntry['row']> = {}): RawEntry =>
  createEntry({ row: { path, template: path, endpoint: null, startedAt, ...row } })
const createContextRead = (path: string, endpoint: string, startedAt: number): RawEntry =>
  createRead(path, startedAt, { endpoint, origin: { kind: 'connection', label: null } })

test('a span holds its exchanges in the order in which they began, and the last reads of the connection before', async () => {
  const { select } = createSources([
    createContextRead('/status', 'status.get', 1),
    createContextRead('/capabilities', 'capabilities.get', 2),
    createContextRead('/capabilities', 'capabilities.get', 3),
    // It began first, and ended last.
    createRead('/b', 12),
    createRead('/a', 11),
    createRead('/late', 30),
  ])
  const { paths, exchanges, span, selection } = await select({ kind: 'filter', filter: { from: 10, to: 20 } })
  expect(paths).toEqual(['/status', '/capabilities', '/a', '/b'])
  expect(exchanges.map(({ isContext }) => isContext)).toEqual([true, true, false, false])
  expect(exchanges[1]?.seq).toBe(3)
  expect(span).toEqual({ from: 11, to: 17 })
  expect(selection).toEqual({ kind: 'span' })
})

test('one load of a panel is told from its other loads', async () => {
  const { select } = createSources([
    createRead('/first', 1, { origin: { ...panel, load: 1 } }),
    createRead('/study-sets/S%201/tree', 2, { origin: { ...panel, load: 2 }, rule: 'Slow tree' }),
  ])
  const chosen = await select({ kind: 'filter', filter: { caller: 'opening-1', load: 2 } })
  expect(chosen.paths).toEqual(['/study-sets/S%201/tree'])
  expect(chosen.selection).toEqual({ kind: 'load', caller: 'opening-1', load: 2 })
  expect([...chosen.panelCallers]).toEqual(['opening-1'])
  expect([...chosen.topicids]).toEqual(['S 1'])
  expect([...chosen.rules]).toEqual(['Slow tree'])
})

test('an origin is named only if all exchanges have it', async () => {
  const other = { kind: 'recorded', label: 'tool', caller: 'client-1' } as const
  const { select } = createSources([
    createRead('/a', 1, { origin: { ...panel, load: 1 } }),
    createRead('/b', 2, { origin: { ...panel, load: 2 } }),
    createRead('/c', 3, { origin: other }),
  ])
  const ofPanel = await select({ kind: 'filter', filter: { caller: 'opening-1' } })
  expect(ofPanel.selection).toMatchObject({ kind: 'origin', origin: { caller: 'opening-1' } })
  const everything = await select({ kind: 'filter', filter: {} })
  expect(everything.selection).toEqual({ kind: 'all' })
  const command = await select({ kind: 'command' })
  expect(command.paths).toEqual(['/c'])
})

test('a finding brings its exchanges with all attempts', async () => {
  const retried = createRead('/retried', 1, { group: 'g', status: 429 })
  const entries = [retried, createRead('/retried', 2, { group: 'g', attempt: 2 }), createRead('/other', 3)]
  const finding: Finding = {
    id: 'retry-too-early:2',
    rule: 'retry-too-early',
    at: 5,
    origin: { kind: 'place', label: null },
    resource: 'GET /retried',
    exchanges: [2],
    params: {},
  }
  const { select } = createSources(entries, [finding])
  const id = 'retry-too-early GET /retried'
  expect((await select({ kind: 'finding', id })).paths).toEqual(['/retried', '/retried'])
  await expect(select({ kind: 'finding', id: 'none' })).rejects.toMatchObject({ code: 'FINDING_UNKNOWN' })
})

test('exchanges of a finding that are not in the file are counted by the reason', async () => {
  const { select, store } = createSources([createRead('/earlier', 1), createRead('/shows', 2)])
  const chosen = await select({ kind: 'exchanges', seqs: [2] })
  const finding: Finding = {
    ...{ id: 'cursor-invented:2', rule: 'cursor-invented', at: 5, origin: { kind: 'place', label: null } },
    ...{ resource: 'GET /shows', exchanges: [1, 99, 2], params: {} },
  }
  expect(await listMissing(chosen, { findings: [finding, finding] }, store)).toEqual([
    { what: 'finding-exchanges', count: 1, why: 'not-selected' },
    { what: 'finding-exchanges', count: 1, why: 'no-longer-stored' },
  ])
  expect(await listMissing(await select({ kind: 'exchanges', seqs: [1, 2] }), { findings: [] }, store)).toEqual([])
})

test('equal bodies are one body, and missing ones are counted by the reason', async () => {
  const entries = [
    createEntry({ response: createBody('{"a":1}') }),
    createEntry({ response: createBody('{"a":1}') }),
    createEntry({ response: { ...createBody(null), total: 9, missing: 'media' } }),
    createEntry({ response: { ...createBody(null), total: 9, missing: 'removed' } }),
  ]
  const { select } = createSources(entries)
  const { bodies, missingBodies } = await select({ kind: 'exchanges', seqs: [1, 2, 3, 4] })
  expect([...bodies.values()].map(({ bytes }) => bytes)).toEqual([7])
  expect(missingBodies.get('media')).toBe(1)
  expect(missingBodies.get('removed')).toBe(1)
})

test('chosen exchanges that are gone are left out, and none at all is refused', async () => {
  const { select, store } = createSources([createRead('/a', 1), createRead('/b', 2)])
  const chosen = await select({ kind: 'exchanges', seqs: [2, 99], isComparison: true })
  expect(chosen.paths).toEqual(['/b'])
  expect(chosen.selection).toEqual({ kind: 'comparison' })
  await store.clear()
  await expect(select({ kind: 'exchanges', seqs: [1, 2] })).rejects.toMatchObject({ code: 'SELECTION_EMPTY' })
})
