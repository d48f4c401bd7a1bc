import { randomUUID } from 'node:crypto'
import { toExpectedPrefix } from '../../../../shared/cards.ts'
import type { EndpointId } from '../../../../shared/bridge/endpoints/index.ts'
import type { CommandDraft } from '../../../../shared/operations/prepared-write.ts'
import type { LabProbe } from '../../../../shared/ipc/lab.ts'
import type { LabContext } from './lab-context.ts'
import type { StepExpectation } from './step-judgement.ts'

export interface SendStep {
  readonly code: string
  readonly draft: CommandDraft
  readonly expected: StepExpectation
  /** True to send the command without `confirm`. */
  readonly isPreview?: boolean
  /** The commit that must still be unfinished when the commit of this step is refused. */
  readonly unfinishedRequestId?: string
}
/** Waits for the outcome of a commit without writing anything. */
export interface WaitStep {
  readonly code: 'settled'
  readonly requestId: string
  readonly expected: 'settled'
}
export type ProbeStep = SendStep | WaitStep

/**
 * Builds the steps of a probe, in order (spec §4 pencil-commit, practice-verdict, blank-bands; §7;
 * observed-0.49 `CONFIRM_REQUIRED`). If the documents show no code for a refusal, a last step
 * differs from the refused one only in what the rule is about.
 */
export function buildProbeSteps(probe: LabProbe, context: LabContext): readonly ProbeStep[] {
  const { topicid, noteid, surfaceId, revision, title } = context
  const createCommit = (requestId: string, layerId = ''): CommandDraft =>
    createDraft('writing.pencilCommit', { surfaceId, requestId, target: { topicid, noteid, layerId } })
  const createVerdict = (expectedRevision: string | number, topic: string): CommandDraft => {
    const { commentId } = context
    const body = { commentId, expectedRevision, practice: { topic }, self: 'again', reason: 'careless' }
    return createDraft('notes.practiceVerdict', body, { noteid })
  }
  const createWait = (requestId: string): WaitStep => ({ code: 'settled', requestId, expected: 'settled' })
  const [firstId, secondId] = [randomUUID(), randomUUID()]
  const firstCommit = { code: 'commit', draft: createCommit(firstId), expected: 'accepted' } as const
  const otherLayerId = 'lab-other'
  switch (probe) {
    case 'same-request-id-again':
      // The wait comes last and frees the window for the next probe.
      return [
        firstCommit,
        { code: 'same-again', draft: createCommit(firstId), expected: 'replay' },
        createWait(firstId),
      ]
    case 'same-id-other-target':
      return [
        firstCommit,
        // A window refuses every other commit until the first is finished.
        createWait(firstId),
        { code: 'other-target', draft: createCommit(firstId, otherLayerId), expected: 'conflict' },
        { code: 'other-target-new-id', draft: createCommit(secondId, otherLayerId), expected: 'other-answer' },
        createWait(secondId),
      ]
    case 'second-unfinished-commit':
      return [
        firstCommit,
        { code: 'second-commit', draft: createCommit(secondId), expected: 'unfinished', unfinishedRequestId: firstId },
        createWait(firstId),
        { code: 'second-commit-later', draft: createCommit(secondId), expected: 'other-answer' },
        createWait(secondId),
      ]
    case 'stale-expected-revision':
      return [
        { code: 'stale-verdict', draft: createVerdict(makeStaleRevision(revision), topicid), expected: 'revision' },
      ]
    case 'wrong-study-set':
      return [
        { code: 'foreign-verdict', draft: createVerdict(revision, context.otherStudySetId), expected: 'topic-changed' },
      ]
    case 'band-without-selection': {
      const body = { role: 'practice', height: context.isDemo ? 9001 : 120 }
      const draft = createDraft('notes.blankBands', body, { noteid })
      return [{ code: 'band', draft, expected: 'band-refused' }]
    }
    case 'missing-confirm': {
      const body = { text: title, expectedPrefix: toExpectedPrefix(title) }
      const draft = createDraft('notes.title', body, { noteid })
      return [{ code: 'unconfirmed-title', draft, expected: 'confirm-required', isPreview: true }]
    }
  }
}

const createDraft = (endpoint: EndpointId, body: object, params: Record<string, string> = {}): CommandDraft => ({
  endpoint,
  params,
  query: {},
  body,
})

/** Keeps the format, because a host would refuse a malformed revision for its format. */
export function makeStaleRevision(revision: string | number): string | number {
  if (typeof revision === 'number') return revision - 1
  if (/^\d{1,15}$/.test(revision))
    return String(Number(revision) - 1 >= 0 ? Number(revision) - 1 : Number(revision) + 1)
  const last = revision.at(-1) ?? ''
  const next = /\d/.test(last) ? String((Number(last) + 1) % 10) : last === 'a' ? 'b' : 'a'
  return revision.slice(0, -1) + next
}
