import { isDeepStrictEqual } from 'node:util'
import { isBinding, type Basis } from '../../../../shared/bridge/basis.ts'
import { getCodeBasis, knownErrors } from '../../../../shared/bridge/errors.ts'
import { getMember } from '../../../../shared/json/object.ts'
import type { LabResultReason } from '../../../../shared/ipc/lab.ts'

export type StepExpectation =
  | 'accepted'
  | 'replay'
  | 'conflict'
  | 'unfinished'
  /** Differs from the refusal before it, where only the rule's condition differs. */
  | 'other-answer'
  | 'revision'
  | 'topic-changed'
  | 'band-refused'
  | 'confirm-required'

export interface LabResponse {
  readonly status: number
  readonly code: string | null
  readonly body: unknown
  /** True if the data that the command touches was read before and after it and differs. */
  readonly hasChanged?: boolean
}

interface Judgement {
  readonly result: 'as-expected' | 'differs' | 'says-nothing'
  readonly reason: LabResultReason | null
}

const AS_EXPECTED: Judgement = { result: 'as-expected', reason: null }
const DIFFERS: Judgement = { result: 'differs', reason: null }
const toInconclusive = (reason: LabResultReason): Judgement => ({ result: 'says-nothing', reason })
const OTHER_REASON = toInconclusive('other-reason')

/** Refusals that precede any rule: authorization, rate limits, or something nonexistent. */
const UNRELATED_CODE =
  /^(UNAUTHORIZED|FORBIDDEN|MAX_REQUIRED|IN_PROCESS_NOT_ALLOWED|APPROVAL_|INVALID_JSON)|_NOT_FOUND$/

/** Matches the code, or the text of a 409 or 412; not an error about the revision's format. */
const REVISION_CODE = /REVISION|STALE|OUTDATED|COMMENTS?_CHANGED|PRECONDITION/i
const FORMAT_CODE = /INVALID|MALFORMED|REQUIRED|MISSING|FORMAT|TYPE|UNKNOWN|UNSUPPORTED/i

/** Codes that the documents show for the refusals of a rule. */
const DOCUMENTED_CODES: Readonly<Partial<Record<StepExpectation, string>>> = {
  'topic-changed': 'PRACTICE_TOPIC_CHANGED',
  'confirm-required': 'CONFIRM_REQUIRED',
}

/** Spec §4 says which revision to send, not that a verdict with an old one is refused. */
function getExpectationBasis(expected: StepExpectation): Basis {
  const code = DOCUMENTED_CODES[expected]
  return code === undefined ? (expected === 'revision' ? 'open' : 'spec') : getCodeBasis(code)
}

/**
 * Judges what a host's response shows about the rule that a step tests. Only a response that the
 * rule itself causes proves it: a refusal for another reason is inconclusive, and a code counts
 * only if the documents show it. A difference from what the contract leaves open is none.
 * @param earlier the responses to earlier steps that were sent.
 */
export function judgeLabStep(
  expected: StepExpectation,
  response: LabResponse,
  earlier: readonly LabResponse[],
): Judgement {
  const judgement = judgeByRule(expected, response, earlier)
  return judgement === DIFFERS && !isBinding(getExpectationBasis(expected)) ? toInconclusive('left-open') : judgement
}

/** A refusal with any status but those of a wrong token and of a host that broke down. */
const isDeliberateRefusal = ({ status, code }: LabResponse): boolean =>
  status !== 401 && code !== 'UNAUTHORIZED' && (status < 500 || (code !== null && code !== ''))

function judgeByRule(expected: StepExpectation, response: LabResponse, earlier: readonly LabResponse[]): Judgement {
  const { status, code, body } = response
  const hasFailed = isFailed(response)
  // Neither status nor code of these refusals is shown (spec §7, §8). The step with
  // `other-answer` tells whether a refusal had another cause.
  if (expected === 'conflict' || expected === 'unfinished') {
    if (!hasFailed) return DIFFERS
    return isDeliberateRefusal(response) ? AS_EXPECTED : OTHER_REASON
  }
  const isUnrelatedStatus = status >= 500 || [401, 403, 404, 405, 408, 429].includes(status)
  // The documented code of a rule proves the rule, even with an unexpected status.
  const isRuleCode = code !== null && DOCUMENTED_CODES[expected] === code
  const isUnrelated = hasFailed && !isRuleCode && (isUnrelatedStatus || UNRELATED_CODE.test(code ?? ''))
  if (isUnrelated && expected !== 'other-answer') return OTHER_REASON
  switch (expected) {
    case 'accepted':
      return hasFailed ? OTHER_REASON : AS_EXPECTED
    case 'replay':
      return hasFailed ? DIFFERS : judgeReplay(body, earlier[0]?.body)
    case 'other-answer': {
      const refusal = earlier.at(-1)
      const isSame = hasFailed && refusal?.status === status && refusal.code === code
      if (isSame) return toInconclusive('control-too')
      return isUnrelated ? OTHER_REASON : AS_EXPECTED
    }
    case 'revision':
      return judgeRefusal(response, isRevisionRefusal(response))
    case 'topic-changed':
    case 'confirm-required':
      return judgeRefusal(response, isRuleCode)
    case 'band-refused':
      return judgeBand(response)
  }
}

const isFailed = ({ status, code }: LabResponse): boolean => code !== null || status >= 400

function judgeRefusal(response: LabResponse, isByRule: boolean): Judgement {
  if (!isFailed(response)) return DIFFERS
  if (response.hasChanged === true) return { ...DIFFERS, reason: 'changed' }
  return isByRule ? AS_EXPECTED : OTHER_REASON
}

function isRevisionRefusal({ status, code, body }: LabResponse): boolean {
  if (code !== null && code.startsWith('PRACTICE_')) return false
  if (code !== null && FORMAT_CODE.test(code)) return false
  if (code !== null && REVISION_CODE.test(code)) return true
  const errorText = JSON.stringify(getMember(body, 'error') ?? '')
  return (status === 409 || status === 412) && /revision|stale|outdated/i.test(errorText)
}

/**
 * Judges a response to the same request id by what identifies the operation and tells its state
 * (spec §4: it is the original result), because a host may add other members, such as a time.
 */
function judgeReplay(body: unknown, original: unknown): Judgement {
  if (isDeepStrictEqual(body, original)) return AS_EXPECTED
  const compareMembers = (names: readonly string[], ...responses: readonly [unknown, unknown]): boolean[] =>
    names
      .map((name) => responses.map((response) => getMember(response, name)))
      .filter((values) => !values.includes(undefined))
      .map(([value, originalValue]) => isDeepStrictEqual(value, originalValue))
  const identity = [
    ...compareMembers(['requestId', 'surfaceId', 'topicid'], body, original),
    ...compareMembers(['topicid', 'noteid', 'layerId'], getMember(body, 'target'), getMember(original, 'target')),
  ]
  if (identity.includes(false)) return DIFFERS
  const isSameState = !compareMembers(['state', 'settled', 'outcome'], body, original).includes(false)
  return identity.length > 0 && isSameState ? AS_EXPECTED : toInconclusive('left-open')
}

/** The contract has the code of this 409 for something else. */
const isUnrelatedBandCode = (code: string): boolean =>
  Object.hasOwn(knownErrors, code) && !/SELECTION|INSERTION|SAVE/.test(code)

/** A host that cannot make a band responds with 409 and a code (spec §4); making it is fine. */
function judgeBand(response: LabResponse): Judgement {
  const { status, code, body } = response
  if (!isFailed(response)) {
    const band = getMember(body, 'band')
    return typeof band === 'object' && band !== null ? toInconclusive('could-be-made') : DIFFERS
  }
  if (response.hasChanged === true) return { ...DIFFERS, reason: 'changed' }
  if (status !== 409) return /SELECTION|INSERTION|PHYSICAL_SAVE/.test(code ?? '') ? DIFFERS : OTHER_REASON
  if (code === null || code === '') return DIFFERS
  return isUnrelatedBandCode(code) ? OTHER_REASON : AS_EXPECTED
}
