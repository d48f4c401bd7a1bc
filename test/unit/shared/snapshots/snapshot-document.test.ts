import { expect, test } from 'vitest'
import { appendMember, DETAILS_MEMBER, EXCERPTS_MEMBER } from '../../../../shared/snapshots/card-content.ts'
import { buildForest } from '../../../../shared/snapshots/forest.ts'
import { formatSnapshotDocument, parseSnapshotDocument } from '../../../../electron/core/snapshots/snapshot-document.ts'
import type { SnapshotInfo } from '../../../../shared/snapshots/snapshot.ts'
import { buildListedForest, listCard } from './forests.ts'

const info: SnapshotInfo = {
  ...{ id: 1, topicid: 'topic', host: 'http://127.0.0.1:1/bridge/v1', startedAt: 1, endedAt: 2, seenAt: 2 },
  ...{ excerpts: { documents: 1, total: 2 }, palette: { appearance: 'light', levels: [] } },
  ...{ origin: { kind: 'place', label: null }, isRequested: true, cards: 3, detailed: 0, pages: 1, hostCount: null },
  ...{ gaps: ['walkLimit'], isInTreeOrder: true, members: ['title'] },
  ...{ anomalies: { duplicates: 0, orphans: 0, circles: 0 }, bytes: 10 },
}

test('a snapshot that was written to a file is the same when it is read', () => {
  const forest = buildListedForest([
    listCard('A', null, { title: '"quoted"\n\u2028', extra: { deep: [1, null] } }),
    listCard('B', 'A', { title: null }),
    listCard('C', 'nowhere'),
  ])
  const details = appendMember(forest.contents[1] ?? '', DETAILS_MEMBER, { texts: ['x'] })
  const contents = [
    forest.contents[0] ?? '',
    appendMember(details, EXCERPTS_MEMBER, [{ text: 'y' }]),
    appendMember('{}', EXCERPTS_MEMBER, [{ text: 'z' }]),
  ]
  const detailed = buildForest({ ...forest, contents })
  const text = [...formatSnapshotDocument({ info, ...detailed })].join('')
  const document = parseSnapshotDocument(text)
  expect(document?.info).toEqual({ ...info, bytes: null })
  expect(document && buildForest(document)).toEqual(detailed)
  expect(text.trimEnd().split('\n')).toHaveLength(7)
})

test('a file of an earlier version has neither excerpts nor a palette', () => {
  const text = [...formatSnapshotDocument({ info, ids: [], parentIds: [], contents: [] })].join('')
  const older = text.replace(/"excerpts":.*"levels":\[\]\},/, '')
  expect(older).not.toContain('palette')
  expect(parseSnapshotDocument(older)?.info).toMatchObject({ excerpts: null, palette: null })
})

test('a file that is no snapshot is not taken for one', () => {
  for (const text of ['', 'null', '[]', '{"format":"another"}', '{"format":"bridge-inspector snapshot 1"}'])
    expect(parseSnapshotDocument(text)).toBeNull()
})

test('an empty snapshot is one', () => {
  const text = [...formatSnapshotDocument({ info, ids: [], parentIds: [], contents: [] })].join('')
  expect(parseSnapshotDocument(text)).toMatchObject({ ids: [] })
})
