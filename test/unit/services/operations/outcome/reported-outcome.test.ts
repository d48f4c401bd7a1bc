import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { endpoints } from '../../../../../shared/bridge/endpoints/index.ts'
import {
  judgeOutcome,
  type OutcomeJudgement,
} from '../../../../../electron/services/operations/outcome/reported-facts.ts'

type OutcomeCase = readonly [
  id: string,
  value: unknown,
  done: OutcomeJudgement['done'],
  quoted: OutcomeJudgement['quoted'],
]

/** How each row judges a response. Every row that is not a read is here. */
const outcomeCases: readonly OutcomeCase[] = [
  [
    'studySets.create',
    { topicid: 'T', isStudySet: true },
    'yes',
    [
      ['/isStudySet', true],
      ['/topicid', 'T'],
    ],
  ],
  [
    'studySets.create',
    { topicid: 'T', isStudySet: false },
    'no',
    [
      ['/isStudySet', false],
      ['/topicid', 'T'],
    ],
  ],
  ['studySets.create', { topicid: 'T' }, 'not reported', [['/topicid', 'T']]],
  ['decks.create', { isDeck: true }, 'yes', [['/isDeck', true]]],
  [
    'decks.create',
    { isDeck: false, persisted: true },
    'no',
    [
      ['/isDeck', false],
      ['/persisted', true],
    ],
  ],
  [
    'library.upload',
    { addedToStudySet: true, movedToFolder: true },
    'yes',
    [
      ['/addedToStudySet', true],
      ['/movedToFolder', true],
    ],
  ],
  [
    'library.upload',
    { addedToStudySet: true, movedToFolder: false, warnings: ['w'] },
    'partly',
    [
      ['/movedToFolder', false],
      ['/addedToStudySet', true],
      ['/warnings', ['w']],
    ],
  ],
  [
    'library.deleteDocument',
    { partial: true, warnings: [] },
    'partly',
    [
      ['/partial', true],
      ['/warnings', []],
    ],
  ],
  [
    'library.deleteDocument',
    { removedFromLibrary: true, partial: true },
    'partly',
    [
      ['/partial', true],
      ['/removedFromLibrary', true],
    ],
  ],
  ['studySets.addDocuments', { becameMainDocument: true }, 'yes', [['/becameMainDocument', true]]],
  ['studySets.addDocuments', { alreadyPresent: true }, 'yes', [['/alreadyPresent', true]]],
  ['studySets.addDocuments', { addedToBooklist: true }, 'yes', [['/addedToBooklist', true]]],
  ['studySets.addDocuments', { addedToBooklist: false }, 'not reported', []],
  ['studySets.removeDocument', { removed: false }, 'no', [['/removed', false]]],
  [
    'studySets.removeDocument',
    { removed: true, preRemoveSnapshotId: 'S' },
    'yes',
    [
      ['/removed', true],
      ['/preRemoveSnapshotId', 'S'],
    ],
  ],
  [
    'studySets.createSnapshot',
    { created: true, snapshotId: 'S' },
    'yes',
    [
      ['/created', true],
      ['/snapshotId', 'S'],
    ],
  ],
  [
    'studySets.createSnapshot',
    { created: false, snapshotId: 'S', warnings: ['same'] },
    'partly',
    [
      ['/created', false],
      ['/snapshotId', 'S'],
      ['/warnings', ['same']],
    ],
  ],
  [
    'studySets.createSnapshot',
    { created: false, persisted: true },
    'partly',
    [
      ['/created', false],
      ['/persisted', true],
    ],
  ],
  ['studySets.createSnapshot', { snapshotId: 'S' }, 'not reported', [['/snapshotId', 'S']]],
  ['studySets.delete', { removedFromLibrary: true }, 'yes', [['/removedFromLibrary', true]]],
  [
    'studySets.delete',
    { removedFromLibrary: false, preDeleteSnapshotId: 'S' },
    'no',
    [
      ['/removedFromLibrary', false],
      ['/preDeleteSnapshotId', 'S'],
    ],
  ],
  ['studySets.printExport', { persisted: true }, 'yes', [['/persisted', true]]],
  ['studySets.open', {}, 'not reported', []],
  ['studySets.open', { tempOpen: true }, 'not reported', [['/tempOpen', true]]],
  ['snapshots.restore', { protectionSnapshotId: 'S' }, 'not reported', [['/protectionSnapshotId', 'S']]],
  ['snapshots.restore', { persisted: true }, 'yes', [['/persisted', true]]],
  [
    'decks.addCards',
    { persisted: true, cards: [{ updatedExisting: true }] },
    'yes',
    [
      ['/persisted', true],
      ['/cards/0/updatedExisting', true],
    ],
  ],
  ['decks.open', {}, 'not reported', []],
  [
    'documents.toc',
    { persisted: true, adjustedLevels: [{ index: 1 }] },
    'partly',
    [
      ['/adjustedLevels', [{ index: 1 }]],
      ['/persisted', true],
    ],
  ],
  ['documents.toc', { persisted: true, adjustedLevels: [] }, 'yes', [['/persisted', true]]],
  ['documents.export', {}, 'not reported', []],
  [
    'bundles.prepare',
    { state: 'preparing', jobId: 'J', bundleId: 'B' },
    'not reported',
    [
      ['/state', 'preparing'],
      ['/bundleId', 'B'],
      ['/jobId', 'J'],
    ],
  ],
  [
    'bundles.prepare',
    { state: 'prepared', ignoredFields: ['x'] },
    'partly',
    [
      ['/ignoredFields', ['x']],
      ['/state', 'prepared'],
    ],
  ],
  ['bundles.prepare', { state: 'prepared' }, 'yes', [['/state', 'prepared']]],
  [
    'bundles.submit',
    { receipt: [{ noteid: 'N' }], parsed: { headings: 2, importedCards: 2 } },
    'yes',
    [['/receipt', [{ noteid: 'N' }]]],
  ],
  [
    'bundles.submit',
    { receipt: [1], parsed: { headings: 3, importedCards: 2 } },
    'partly',
    [
      ['/parsed/headings', 3],
      ['/receipt', [1]],
    ],
  ],
  [
    'bundles.submit',
    { receipt: [1], parsed: { failedExcerpts: ['f'] }, blankInsertion: { failed: 1 } },
    'partly',
    [
      ['/parsed/failedExcerpts', ['f']],
      ['/blankInsertion/failed', 1],
      ['/receipt', [1]],
    ],
  ],
  ['bundles.submit', { receipt: [] }, 'no', [['/receipt', []]]],
  ['bundles.focus', {}, 'not reported', []],
  ['bundles.discard', { cancelledJob: null }, 'not reported', [['/cancelledJob', null]]],
  [
    'sync.recheck',
    { accepted: true, operationId: 'O', startSequence: 4 },
    'not reported',
    [
      ['/accepted', true],
      ['/operationId', 'O'],
      ['/startSequence', 4],
    ],
  ],
  ['sync.recheck', { accepted: false }, 'no', [['/accepted', false]]],
  ['sync.inventory', { observeOnly: true }, 'not reported', [['/observeOnly', true]]],
  ['install.get', {}, 'not reported', []],
  ['install.code', { code: '1' }, 'not reported', []],
  ['mcp.post', { result: {} }, 'not reported', []],
  ['pair.post', { token: 't' }, 'not reported', []],
  [
    'uiState.apply',
    { queued: true, accepted: ['theme'] },
    'not reported',
    [
      ['/queued', true],
      ['/accepted', ['theme']],
    ],
  ],
  ['uiState.apply', { queued: false }, 'no', [['/queued', false]]],
  [
    'uiState.apply',
    { queued: true, rejected: ['play'] },
    'partly',
    [
      ['/rejected', ['play']],
      ['/queued', true],
    ],
  ],
  ['notes.hashtags', { persisted: true }, 'yes', [['/persisted', true]]],
  [
    'notes.hashtags',
    { persisted: true, ignoredFields: ['x'] },
    'partly',
    [
      ['/ignoredFields', ['x']],
      ['/persisted', true],
    ],
  ],
  ['notes.metadata', { persisted: false }, 'no', [['/persisted', false]]],
  ['notes.metadata', { persisted: 'true' }, 'not reported', []],
  ['notes.move', {}, 'not reported', []],
  [
    'notes.copy',
    { persisted: true, skipped: ['N'] },
    'partly',
    [
      ['/skipped', ['N']],
      ['/persisted', true],
    ],
  ],
  [
    'notes.delete',
    { deleted: [{ noteid: 'N', outcome: 'deleted' }] },
    'yes',
    [['/deleted', [{ noteid: 'N', outcome: 'deleted' }]]],
  ],
  [
    'notes.delete',
    { deleted: [{ outcome: 'deleted' }, { outcome: 'hidden' }], persisted: true },
    'partly',
    [
      ['/deleted/1/outcome', 'hidden'],
      ['/persisted', true],
      ['/deleted', [{ outcome: 'deleted' }, { outcome: 'hidden' }]],
    ],
  ],
  [
    'notes.delete',
    { deleted: [], persisted: true },
    'no',
    [
      ['/deleted', []],
      ['/persisted', true],
    ],
  ],
  [
    'notes.delete',
    { deleted: ['N'], childrenReattachedTo: 'topLevel' },
    'yes',
    [
      ['/deleted', ['N']],
      ['/childrenReattachedTo', 'topLevel'],
    ],
  ],
  ['notes.fold', { changed: 2, skipped: [] }, 'yes', [['/changed', 2]]],
  [
    'notes.fold',
    { changed: 1, skipped: ['N'] },
    'partly',
    [
      ['/skipped', ['N']],
      ['/changed', 1],
    ],
  ],
  [
    'notes.fold',
    { changed: 0, skipped: ['N'] },
    'no',
    [
      ['/changed', 0],
      ['/skipped', ['N']],
    ],
  ],
  [
    'notes.title',
    { persisted: true, warnings: ['w'] },
    'yes',
    [
      ['/persisted', true],
      ['/warnings', ['w']],
    ],
  ],
  ['notes.text', { groupCacheUpdated: true }, 'not reported', [['/groupCacheUpdated', true]]],
  ['notes.comments', { persisted: true }, 'yes', [['/persisted', true]]],
  ['notes.comment', { persisted: true }, 'yes', [['/persisted', true]]],
  ['notes.deleteComment', { persisted: true }, 'yes', [['/persisted', true]]],
  [
    'notes.mergeBranch',
    { persisted: true, notMergedCount: 1, skipped: ['N'] },
    'partly',
    [
      ['/notMergedCount', 1],
      ['/skipped', ['N']],
      ['/persisted', true],
    ],
  ],
  ['notes.foldIntoSubMap', { persisted: true }, 'yes', [['/persisted', true]]],
  [
    'notes.imageOcclusions',
    { persisted: true, existingReviewCardCount: 2 },
    'yes',
    [
      ['/persisted', true],
      ['/existingReviewCardCount', 2],
    ],
  ],
  ['notes.focus', {}, 'not reported', []],
  ['notes.focus', { persisted: true }, 'yes', [['/persisted', true]]],
  ['notes.blankBands', { band: { seq: 1 }, bands: [] }, 'yes', [['/band', { seq: 1 }]]],
  ['notes.blankBands', { band: null }, 'not reported', []],
  [
    'notes.blankBands',
    { band: { seq: 1 }, persisted: false },
    'no',
    [
      ['/persisted', false],
      ['/band', { seq: 1 }],
    ],
  ],
  [
    'notes.practiceVerdict',
    { persisted: true, tagsChanged: false },
    'yes',
    [
      ['/persisted', true],
      ['/tagsChanged', false],
    ],
  ],
  ...['writing.sessionFocusBegin', 'writing.sessionReserve', 'writing.sessionPause'].map((id): OutcomeCase => [
    id,
    { state: 'accepted', settled: false, persisted: true },
    'not reported',
    [
      ['/state', 'accepted'],
      ['/settled', false],
      ['/persisted', true],
    ],
  ]),
  ['writing.pencilCommit', { state: 'pending' }, 'not reported', [['/state', 'pending']]],
  ['writing.pencilCommit', { persisted: false }, 'no', [['/persisted', false]]],
]

describe('outcome reported by a response', () => {
  test.each(outcomeCases)('of %s is judged: %j is %s', (id, value, done, quoted) => {
    expect(judgeOutcome(id, value)).toEqual({ done, quoted })
  })

  it('is covered here for every row that is not a read', () => {
    const rows = endpoints.filter(({ access }) => access !== 'read').map(({ id }) => id)
    expect([...new Set(outcomeCases.map(([id]) => id))].sort()).toEqual(rows.sort())
  })

  it('is a failure for an error in any row, whatever else it contains', () => {
    for (const { id } of endpoints) {
      const value = { error: { code: 'X', message: 'm' }, persisted: true, receipt: [1], created: true }
      expect(judgeOutcome(id, value), id).toEqual({ done: 'no', quoted: [['/error/code', 'X']] })
      expect(judgeOutcome(id, { error: null }).done, id).toBe('not reported')
    }
  })

  it('is never a success with persisted: false, and no failure without persisted', () => {
    for (const { id, access } of endpoints) {
      if (access === 'read') continue
      expect(judgeOutcome(id, { persisted: false }).done, id).toBe('no')
      expect(judgeOutcome(id, {}).done, id).toBe('not reported')
    }
  })

  it('is never a plain success if nothing was done or something was ignored or left out', () => {
    for (const { id, access } of endpoints) {
      if (access === 'read') continue
      for (const more of [{ created: false }, { ignoredFields: ['x'] }, { partial: true }]) {
        expect(judgeOutcome(id, { persisted: true, ...more }).done, id).not.toBe('yes')
      }
    }
  })

  it('is judged by the common members for an unknown row', () => {
    expect(judgeOutcome('no.such', { persisted: true }).done).toBe('yes')
    expect(judgeOutcome('no.such', { persisted: true, partial: true }).done).toBe('partly')
    expect(judgeOutcome('no.such', {}).done).toBe('not reported')
  })

  it('does not miss an effect that was not requested', () => {
    const value = { addedToStudySet: false, movedToFolder: true }
    expect(judgeOutcome('library.upload', value, new Set(['filename', 'folder'])).done).toBe('yes')
    expect(judgeOutcome('library.upload', value, new Set(['filename', 'topicid'])).done).toBe('partly')
  })

  it('is judged for any value, and every quoted value occurs in it', () => {
    const ids = fc.constantFrom(...endpoints.map(({ id }) => id), '__proto__', 'nothing')
    const member = fc.constantFrom(
      'persisted',
      'deleted',
      'receipt',
      'parsed',
      'created',
      'error',
      'changed',
      'outcome',
      '__proto__',
    )
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue(),
        fc.dictionary(member, tie('node')),
        fc.array(tie('node'), { maxLength: 4 }),
      ),
    })).node
    fc.assert(
      fc.property(ids, value, (id, response) => {
        const { quoted } = judgeOutcome(id, response)
        for (const [pointer, quotedValue] of quoted) {
          const steps = pointer.split('/').slice(1)
          const member = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], response)
          expect(member).toBe(quotedValue)
        }
        expect(quoted.length).toBeLessThanOrEqual(20)
      }),
      { numRuns: 1_000 },
    )
  })
})
