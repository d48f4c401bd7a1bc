import { randomUUID } from 'node:crypto'
import type { LabProbe } from '../../../shared/ipc/lab.ts'
import type { CommandDraft } from '../../../shared/ipc/commands.ts'

/** What a probe works on. */
export interface LabContext {
  readonly topicid: string
  readonly noteid: string
  /** `commentsRevision` of the card as it was read. */
  readonly revision: string
  /** Title of the card as it was read: a title that is sent is the one that it has. */
  readonly title: string
  /** The demo host gives a reason by the height that is asked for. */
  readonly demo: boolean
}

/** What a step is expected to give: a success, or an error whose code or status fits. */
export type Expectation =
  'accepted' | 'replay' | 'conflict' | 'refused' | 'topic-changed' | 'band-refused' | 'confirm-required'

export interface ProbeStep {
  readonly code: string
  readonly draft: CommandDraft
  readonly expected: Expectation
  /** Sent without `confirm`. */
  readonly preview?: boolean
}

/** The steps of each probe, in order (spec §4 pencil-commit, practice-verdict, blank-bands; §7; observed-0.49 `CONFIRM_REQUIRED`). */
export function stepsOf(probe: LabProbe, { topicid, noteid, revision, title, demo }: LabContext): readonly ProbeStep[] {
  const surfaceId = `lab-${randomUUID()}`
  const commit = (requestId: string, layerId = ''): CommandDraft => ({
    endpoint: 'writing.pencilCommit',
    params: {},
    query: {},
    body: { surfaceId, requestId, target: { topicid, noteid, layerId } },
  })
  const verdict = (expectedRevision: string, topic: string): CommandDraft => ({
    endpoint: 'notes.practiceVerdict',
    params: { noteid },
    query: {},
    body: { expectedRevision, practice: { topic }, self: 'again', reason: 'careless' },
  })
  const [one, two] = [randomUUID(), randomUUID()]
  switch (probe) {
    case 'same-request-id-again':
      return [
        { code: 'commit', draft: commit(one), expected: 'accepted' },
        { code: 'same-again', draft: commit(one), expected: 'replay' },
      ]
    case 'same-id-other-target':
      return [
        { code: 'commit', draft: commit(one), expected: 'accepted' },
        { code: 'other-target', draft: commit(one, 'lab-other'), expected: 'conflict' },
      ]
    case 'second-unfinished-commit':
      return [
        { code: 'commit', draft: commit(one), expected: 'accepted' },
        { code: 'second-commit', draft: commit(two), expected: 'refused' },
      ]
    case 'stale-expected-revision':
      return [{ code: 'stale-verdict', draft: verdict(`${revision}-stale`, topicid), expected: 'refused' }]
    case 'wrong-study-set':
      return [
        {
          code: 'foreign-verdict',
          draft: verdict(revision, '00000000-0000-4000-8000-000000000000'),
          expected: 'topic-changed',
        },
      ]
    case 'band-without-selection':
      return [
        {
          code: 'band',
          draft: {
            endpoint: 'notes.blankBands',
            params: { noteid },
            query: {},
            body: { role: 'practice', height: demo ? 9001 : 120 },
          },
          expected: 'band-refused',
        },
      ]
    case 'missing-confirm':
      return [
        {
          code: 'unconfirmed-title',
          draft: { endpoint: 'notes.title', params: { noteid }, query: {}, body: { title } },
          expected: 'confirm-required',
          preview: true,
        },
      ]
  }
}

/** Whether what came is what the contract lets expect. */
export function isExpected(expected: Expectation, status: number | null, code: string | null): boolean {
  if (status === null) return false
  const failed = code !== null || status >= 400
  switch (expected) {
    case 'accepted':
    case 'replay':
      return !failed
    case 'conflict':
      return failed && (status === 409 || /conflict/i.test(code ?? ''))
    case 'refused':
      return failed
    case 'topic-changed':
      return code === 'PRACTICE_TOPIC_CHANGED'
    case 'band-refused':
      return failed && status === 409
    case 'confirm-required':
      return code === 'CONFIRM_REQUIRED'
  }
}
