import { createRefusedError } from '../../../../shared/errors.ts'
import type { Finding } from '../../../../shared/protocol/finding.ts'
import type { Candidate, ReducibleRecording } from '../../../core/recordings/reduction/candidate.ts'
import {
  reduceRecording,
  type Reduction,
  type ReductionProgress,
  type RepeatedExchange,
} from '../../../core/recordings/reduction/recording-reduction.ts'
import type { ReplaySource } from '../../../core/recordings/replay/replay-timeline.ts'
import { isSameFinding, nameBody } from '../../../recording-file/reduction.ts'
import { judgeRepeatedExchanges } from './repeated-findings.ts'

export interface SmallestCaseOptions {
  /** Sends the requests of a recording again to the recording itself. */
  readonly repeatRequests: (source: ReplaySource) => AsyncIterable<RepeatedExchange>
  readonly signal: AbortSignal
  readonly timeLimitMs: number
  readonly onProgress?: (progress: ReductionProgress) => void
}

interface SmallestCase extends Reduction {
  readonly finding: Finding
}

/**
 * Reduces a recording to what still shows a finding, with all exchanges from which it follows, when
 * its requests are sent again.
 * @param recordedFindings those of one group, as the recording has them
 * @throws FINDING_NOT_REPEATED if the exchanges alone do not show it
 */
export async function findSmallestCase(
  recording: ReducibleRecording,
  recordedFindings: readonly Finding[],
  { repeatRequests, signal, timeLimitMs, onProgress }: SmallestCaseOptions,
): Promise<SmallestCase> {
  const endsAt = performance.now() + timeLimitMs
  const listFindings = (candidate: ReplaySource): Promise<Finding[]> =>
    judgeRepeatedExchanges(repeatRequests(candidate))
  const [finding] = (await listFindings({ ...recording, readExchanges: () => recording.exchanges }))
    .filter((judged) => recordedFindings.some((recorded) => isSameFinding(recorded, judged)))
    .sort((first, second) => first.exchanges.length - second.exchanges.length)
  if (!finding) throw createNotRepeatedError()
  const facts = describeFinding(finding)
  const isShown = async (candidate: Candidate): Promise<boolean> =>
    (await listFindings(candidate)).some((judged) => describeFinding(judged) === facts)
  const isOver = (): boolean => performance.now() > endsAt
  const reduction = await reduceRecording(recording, isShown, { signal, isOver, nameBody, onProgress })
  if (!reduction) throw createNotRepeatedError()
  return { ...reduction, finding }
}

/** The time is left out, because a smaller recording may have the finding earlier. */
const describeFinding = ({ id, exchanges, params }: Finding): string => JSON.stringify([id, exchanges, params])

const createNotRepeatedError = () =>
  createRefusedError(
    'FINDING_NOT_REPEATED',
    'The exchanges alone do not show this finding: it also depends on how the caller made its calls.',
  )
