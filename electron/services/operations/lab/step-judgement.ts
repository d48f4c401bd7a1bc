import { isDeepStrictEqual } from 'node:util'
import { knownErrors } from '../../../../shared/bridge/errors.ts'
import { getMember } from '../../../../shared/json/object.ts'
import type { LabResultReason } from '../../../../shared/ipc/lab.ts'

/** The expected result of a step. */
export type StepExpectation =
  | 'accepted'
  | 'replay'
  | 'conflict'
  | 'unfinished'
  /** A different answer from the refusal before it: the two steps differ only in what the rule is about. */
  | 'other-answer'
  | 'revision'
  | 'topic-changed'
  | 'band-refused'
  | 'confirm-required'

/** A host's answer to a step. */
export interface LabResponse {
  readonly status: number
  readonly code: string | null
  readonly body: unknown
  /** What the command touches was read before and after, and differs. */
  readonly hasChanged?: boolean
}

/** What an answer says about a rule. */
interface Judged {
  readonly result: 'as-expected' | 'differs' | 'says-nothing'
  readonly reason: LabResultReason | null
}

const asExpected: Judged = { result: 'as-expected', reason: null }
const differs: Judged = { result: 'differs', reason: null }
const saysNothing = (reason: LabResultReason): Judged => ({ result: 'says-nothing', reason })
const otherReason = saysNothing('other-reason')

/** Refusals that precede any rule: about who is asking, how often, or something that does not exist. */
const elsewhere = /^(UNAUTHORIZED|FORBIDDEN|MAX_REQUIRED|IN_PROCESS_NOT_ALLOWED|APPROVAL_|INVALID_JSON)|_NOT_FOUND$/

/** Whether a refusal is about a revision: by its code, or by the text of a 409 or 412. A complaint about its format is another reason. */
const ofRevision = /REVISION|STALE|OUTDATED|COMMENTS?_CHANGED|PRECONDITION/i
const ofForm = /INVALID|MALFORMED|REQUIRED|MISSING|FORMAT|TYPE|UNKNOWN|UNSUPPORTED/i

/** Codes that the documents show for a rule. */
const codeOfRule: Readonly<Partial<Record<StepExpectation, string>>> = {
  'topic-changed': 'PRACTICE_TOPIC_CHANGED',
  'confirm-required': 'CONFIRM_REQUIRED',
}

/**
 * What a host's answer says about the rule that a step tests. Only an answer caused by the rule itself proves it: a refusal for another
 * reason says nothing about it, and a code counts only if the documents show it. `earlier`: the answers to earlier steps that were sent.
 */
export function judgeLabStep(expected: StepExpectation, answer: LabResponse, earlier: readonly LabResponse[]): Judged {
  const { status, code, body } = answer
  const failed = isFailed(answer)
  const ofStatus = status >= 500 || [401, 403, 404, 405, 408, 429].includes(status)
  // The documented code of a rule proves it, whatever the status.
  const ofRule = code !== null && codeOfRule[expected] === code
  if (failed && !ofRule && (ofStatus || elsewhere.test(code ?? ''))) return otherReason
  switch (expected) {
    case 'accepted':
      return failed ? otherReason : asExpected
    case 'replay':
      return !failed && isDeepStrictEqual(body, earlier[0]?.body) ? asExpected : differs
    case 'conflict':
    case 'unfinished':
      return failed ? asExpected : differs
    case 'other-answer': {
      const refusal = earlier.at(-1)
      const same = failed && refusal?.status === status && refusal.code === code
      return same ? saysNothing('control-too') : asExpected
    }
    case 'revision':
      return refusedBy(answer, isOfRevision(answer))
    case 'topic-changed':
    case 'confirm-required':
      return refusedBy(answer, ofRule)
    case 'band-refused':
      return ofBand(answer)
  }
}

const isFailed = ({ status, code }: LabResponse): boolean => code !== null || status >= 400

function refusedBy(answer: LabResponse, byTheRule: boolean): Judged {
  if (!isFailed(answer)) return differs
  if (answer.hasChanged === true) return { ...differs, reason: 'changed' }
  return byTheRule ? asExpected : otherReason
}

function isOfRevision({ status, code, body }: LabResponse): boolean {
  if (code !== null && code.startsWith('PRACTICE_')) return false
  if (code !== null && ofForm.test(code)) return false
  if (code !== null && ofRevision.test(code)) return true
  const said = JSON.stringify(getMember(body, 'error') ?? '')
  return (status === 409 || status === 412) && /revision|stale|outdated/i.test(said)
}

/** Codes of a 409 that are documented for something else. */
const ofOthers = (code: string): boolean => Object.hasOwn(knownErrors, code) && !/SELECTION|INSERTION|SAVE/.test(code)

/** spec §4: a host that cannot make a band answers 409 with a stable code. A host that can make one is no difference. */
function ofBand(answer: LabResponse): Judged {
  const { status, code, body } = answer
  if (!isFailed(answer)) {
    const made = getMember(body, 'band')
    return typeof made === 'object' && made !== null ? saysNothing('could-be-made') : differs
  }
  if (answer.hasChanged === true) return { ...differs, reason: 'changed' }
  if (status !== 409) return /SELECTION|INSERTION|PHYSICAL_SAVE/.test(code ?? '') ? differs : otherReason
  if (code === null || code === '') return differs
  return ofOthers(code) ? otherReason : asExpected
}
