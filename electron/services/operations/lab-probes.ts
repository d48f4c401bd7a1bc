import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
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
  'accepted' | 'replay' | 'conflict' | 'unfinished' | 'refused' | 'topic-changed' | 'band-refused' | 'confirm-required'

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
        { code: 'second-commit', draft: commit(two), expected: 'unfinished' },
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
          draft: { endpoint: 'notes.title', params: { noteid }, query: {}, body: { text: title } },
          expected: 'confirm-required',
          preview: true,
        },
      ]
  }
}

/** What a host answered to a step. */
export interface LabAnswer {
  readonly status: number
  readonly code: string | null
  readonly body: unknown
}

/** Refusals that come before any rule is looked at: who asks, how often, and for what there is no such thing. */
const beforeTheRule =
  /^(UNAUTHORIZED|FORBIDDEN|MAX_REQUIRED|IN_PROCESS_NOT_ALLOWED|APPROVAL_|INVALID_JSON|PRACTICE_CONFIG_UNAVAILABLE)|_NOT_FOUND$/

/** Whether an answer is a refusal for a reason that is not the rule's: the probe says nothing then. */
export function saysNothing(expected: Expectation, { status, code, body }: LabAnswer): boolean {
  if (isExpected(expected, { status, code, body }, body) && expected !== 'refused' && expected !== 'unfinished')
    return false
  if (status >= 500 || [401, 403, 404, 405, 408, 429].includes(status)) return true
  return beforeTheRule.test(code ?? '')
}

/** Whether what came is what the contract lets expect. `first` is the body of the probe's first answer. */
export function isExpected(expected: Expectation, { status, code, body }: LabAnswer, first: unknown): boolean {
  const failed = code !== null || status >= 400
  const conflict = failed && /conflict/i.test(code ?? '')
  switch (expected) {
    case 'accepted':
      return !failed
    case 'replay':
      return !failed && isDeepStrictEqual(body, first)
    case 'conflict':
      return conflict || (failed && status === 409 && code === '')
    case 'unfinished':
      return failed && !conflict
    case 'refused':
      return failed && !/^PRACTICE_/.test(code ?? '')
    case 'topic-changed':
      return code === 'PRACTICE_TOPIC_CHANGED'
    case 'band-refused':
      return status === 409 && code !== null && code !== ''
    case 'confirm-required':
      return code === 'CONFIRM_REQUIRED'
  }
}
