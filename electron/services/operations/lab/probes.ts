import { randomUUID } from 'node:crypto'
import { toExpectedPrefix } from '../../../../shared/cards.ts'
import type { EndpointId } from '../../../../shared/bridge/endpoints/index.ts'
import type { CommandDraft } from '../../../../shared/operations/prepared-write.ts'
import type { LabProbe } from '../../../../shared/ipc/lab.ts'
import type { LabContext } from './lab-context.ts'
import type { StepExpectation } from './step-judgement.ts'

/** A command of a probe. */
export interface SendStep {
  readonly code: string
  readonly draft: CommandDraft
  readonly expected: StepExpectation
  /** Sent without `confirm`. */
  readonly isPreview?: boolean
  /** Request id of the commit that must still be unfinished when this one is refused. */
  readonly unfinishedRequestId?: string
}
/** Waits for the outcome of a commit; a read. */
export interface WaitStep {
  readonly code: 'settled'
  readonly requestId: string
  readonly expected: 'settled'
}
export type ProbeStep = SendStep | WaitStep

/**
 * The steps of each probe, in order (spec §4 pencil-commit, practice-verdict, blank-bands; §7; observed-0.49 `CONFIRM_REQUIRED`). If the
 * documents show no code for a refusal, a last step differs from the refused one only in what the rule is about.
 */
export function buildProbeSteps(probe: LabProbe, context: LabContext): readonly ProbeStep[] {
  const { topicid, noteid, surfaceId, revision, title } = context
  const commit = (requestId: string, layerId = ''): CommandDraft =>
    draftOf('writing.pencilCommit', { surfaceId, requestId, target: { topicid, noteid, layerId } })
  const verdict = (expectedRevision: string | number, topic: string): CommandDraft => {
    const { commentId } = context
    const body = { commentId, expectedRevision, practice: { topic }, self: 'again', reason: 'careless' }
    return draftOf('notes.practiceVerdict', body, { noteid })
  }
  const settled = (requestId: string): WaitStep => ({ code: 'settled', requestId, expected: 'settled' })
  const [one, two] = [randomUUID(), randomUUID()]
  const first = { code: 'commit', draft: commit(one), expected: 'accepted' } as const
  const other = 'lab-other'
  switch (probe) {
    case 'same-request-id-again':
      // Last, so that the window is free for what comes next.
      return [first, { code: 'same-again', draft: commit(one), expected: 'replay' }, settled(one)]
    case 'same-id-other-target':
      return [
        first,
        // Until it is finished, a window refuses every other commit.
        settled(one),
        { code: 'other-target', draft: commit(one, other), expected: 'conflict' },
        { code: 'other-target-new-id', draft: commit(two, other), expected: 'other-answer' },
        settled(two),
      ]
    case 'second-unfinished-commit':
      return [
        first,
        { code: 'second-commit', draft: commit(two), expected: 'unfinished', unfinishedRequestId: one },
        settled(one),
        { code: 'second-commit-later', draft: commit(two), expected: 'other-answer' },
        settled(two),
      ]
    case 'stale-expected-revision':
      return [{ code: 'stale-verdict', draft: verdict(makeStaleRevision(revision), topicid), expected: 'revision' }]
    case 'wrong-study-set':
      return [{ code: 'foreign-verdict', draft: verdict(revision, context.otherStudySetId), expected: 'topic-changed' }]
    case 'band-without-selection': {
      const body = { role: 'practice', height: context.isDemo ? 9001 : 120 }
      const draft = draftOf('notes.blankBands', body, { noteid })
      return [{ code: 'band', draft, expected: 'band-refused' }]
    }
    case 'missing-confirm': {
      const body = { text: title, expectedPrefix: toExpectedPrefix(title) }
      const draft = draftOf('notes.title', body, { noteid })
      return [{ code: 'unconfirmed-title', draft, expected: 'confirm-required', isPreview: true }]
    }
  }
}

const draftOf = (endpoint: EndpointId, body: object, params: Record<string, string> = {}): CommandDraft => ({
  endpoint,
  params,
  query: {},
  body,
})

/** An outdated revision of the same kind: a malformed one would be refused for being malformed. */
export function makeStaleRevision(revision: string | number): string | number {
  if (typeof revision === 'number') return revision - 1
  if (/^\d{1,15}$/.test(revision))
    return String(Number(revision) - 1 >= 0 ? Number(revision) - 1 : Number(revision) + 1)
  const last = revision.at(-1) ?? ''
  const next = /\d/.test(last) ? String((Number(last) + 1) % 10) : last === 'a' ? 'b' : 'a'
  return revision.slice(0, -1) + next
}
