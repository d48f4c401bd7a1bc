import { groupFindings, type Finding, type FindingClass, type FindingGroup, type FindingRuleId } from './finding.ts'

/**
 * `error`: something was refused, lost or may be wrong. `warning`: it may become so. `advice`: the
 * contract leaves it open, but it has no effect, or costs more than it needs to.
 */
export const findingSeverities = ['error', 'warning', 'advice'] as const
export type FindingSeverity = (typeof findingSeverities)[number]

/** For the documentation; the interface has its own texts under `protocol.rule.<id>`. */
interface RuleDescription {
  readonly severity: FindingSeverity
  /** The part of the contract from which the rule follows, or that leaves open what is advised. */
  readonly specReference: string
  /** The act that breaks the rule. */
  readonly violation: string
  /** Advice to the caller. */
  readonly remedy: string
}

export const ruleTable: Readonly<Record<FindingRuleId, RuleDescription>> = {
  'commit-not-polled': {
    severity: 'error',
    specReference: 'spec §3; §4 pencil-commit',
    violation:
      'A pencil commit was accepted, and 25 s after the last poll its result had not been read until `settled` is true.',
    remedy: 'Poll `pencil-result` with the same `requestId` until `settled` is true, then read `outcome`.',
  },
  'result-of-new-id': {
    severity: 'error',
    specReference: 'spec §4 pencil-result',
    violation:
      'After a commit, `pencil-result` was requested with an id that no commit used and that the host does not know either.',
    remedy: 'Send the `requestId` of the commit; never create a new one for the result.',
  },
  'request-id-other-target': {
    severity: 'error',
    specReference: 'spec §4 pencil-commit; §7',
    violation: 'A `requestId` that the host had accepted was sent again with another `target`.',
    remedy: 'Create a new `requestId` for each commit; repeat one only with the same request.',
  },
  'second-commit-of-window': {
    severity: 'error',
    specReference: 'spec §4 pencil-commit; §8',
    violation:
      'A commit was refused while an earlier commit to the same surface had not been polled until `settled` was true.',
    remedy: 'Poll the first commit until `settled` is true, then send the next.',
  },
  'stale-revision': {
    severity: 'error',
    specReference: 'spec §4 practice-verdict',
    violation:
      'A verdict was refused because of an `expectedRevision` that the caller’s own verdict had replaced, that had been refused before, or that a panel had never received.',
    remedy: 'Read the card again, and send the revision with which the answer sheet is opened.',
  },
  'verdict-resent': {
    severity: 'error',
    specReference: 'spec §7 PRACTICE_TOPIC_CHANGED',
    violation: 'After `PRACTICE_TOPIC_CHANGED` the same verdict was sent again, without any read in between.',
    remedy: 'Refresh, read the card and its study set again, and submit with the new values.',
  },
  'write-on-failed-id': {
    severity: 'error',
    specReference: 'spec §4 blank-bands; §7',
    violation:
      'Within ten exchanges after a failed write, a write used an id that the host had called unknown, or that only the failed response had named.',
    remedy: 'Use ids from a response without `error`; read again before the next write.',
  },
  'paging-stopped': {
    severity: 'advice',
    specReference: 'left open by spec §2 mind-map tree; §4 card listing',
    violation:
      'A page of the card listing had a `nextCursor`, but the next page was not requested within 25 s. Reads with `limit=1` are exempt, because they only need the count. So are callers that have continued after such a stop before, because they load more on demand, and those that have read the listing to its end before.',
    remedy: 'If all cards are needed, follow `nextCursor` until it is null.',
  },
  'cursor-invented': {
    severity: 'error',
    specReference: 'spec §4 card listing',
    violation:
      'A page was requested with a cursor that no load of this caller had received, or with the same cursor twice in a row.',
    remedy: 'Take `cursor` from the `nextCursor` of the previous response, and use each cursor once.',
  },
  'incomplete-listing-then-write': {
    severity: 'advice',
    specReference: 'left open by spec §2 mind-map tree; §4 card listing',
    violation:
      'A listing was left incomplete, with a `nextCursor` or with `walkLimitReached` true on its last page, and then a card of its study set was written that was in none of its pages nor in any other response, such as that of `/ui-state`, and had not been read by itself. A caller that has read the listing to its end before is exempt.',
    remedy:
      'Read on until `nextCursor` is null, sub-map by sub-map where the limit is reached, or read the card itself before the write.',
  },
  'parameter-out-of-range': {
    severity: 'warning',
    specReference: 'spec §4; §8',
    violation:
      'A parameter was outside the range that the contract or the host’s capabilities state, such as a page number below 1, or a list was longer than these capabilities state.',
    remedy: 'Keep to the ranges of the contract and of the host’s capabilities; the first page is 1.',
  },
  'retry-too-early': {
    severity: 'warning',
    specReference: 'observed: errors',
    violation: 'The same request was sent again before the `retryAfterSeconds` of its refusal had passed.',
    remedy: 'Wait `retryAfterSeconds`; for a job that is running, poll instead of sending again.',
  },
  'read-burst': {
    severity: 'advice',
    specReference: 'left open by spec §8',
    violation: 'The same read got a response five times within a second, without a write in between.',
    remedy: 'Read once and share the response.',
  },
  'polling-too-fast': {
    severity: 'advice',
    specReference: 'left open by spec §8',
    violation: 'The same state was polled six times in a row within two seconds.',
    remedy: 'Poll at most twice a second, and more slowly the longer it takes.',
  },
  'binary-through-api': {
    severity: 'error',
    specReference: 'spec §1',
    violation: 'A panel read bytes or Markdown through `host.api`, which parses every response as JSON.',
    remedy: 'Use plain `fetch` for responses that are not JSON.',
  },
  'confirm-or-addon-sent': {
    severity: 'advice',
    specReference: 'left open by spec §4; §5.6',
    violation: 'A panel sent `confirm` or `addon` in a write; the host replaces both.',
    remedy: 'Leave both out: the host fills them in.',
  },
  'outside-allow-list': {
    severity: 'error',
    specReference: 'spec §5.4; §7',
    violation:
      'A request for a route that exists, or that resembles none, was refused with 403 `IN_PROCESS_NOT_ALLOWED`.',
    remedy: 'Call only what the host’s allow-list names, and handle the refusal.',
  },
  'ids-of-old-run': {
    severity: 'error',
    specReference: 'spec §4 pencil-result',
    violation:
      'After a restart of the host, a request id or cursor of the previous run was sent again although it had been refused.',
    remedy: 'After a restart read the data back independently, and begin a listing from its start.',
  },
  'session-not-confirmed': {
    severity: 'warning',
    specReference: 'spec §4 session-reserve',
    violation:
      'The next attempt was reserved with `settled` false in the response, and within 25 s no response was read that shows the state of the session: the writing context, or a response with its `requestId`, run or attempt.',
    remedy: 'Confirm by `requestId`, or re-read the session record, before the attempt counts as reserved.',
  },
  'batch-of-one': {
    severity: 'advice',
    specReference: 'left open by spec §4 batch-get',
    violation: 'A panel or client read ten cards in rapid succession, each with a list of one id.',
    remedy: 'Send the ids as one list, up to the host’s limit.',
  },
  'unknown-route': {
    severity: 'error',
    specReference: 'spec §1; §7',
    violation:
      'A panel or client requested a route that neither the contract nor this host’s capabilities list, and was refused with 404 or 405, or with 403 `IN_PROCESS_NOT_ALLOWED` where a known route is nearly the same.',
    remedy: 'Take the route from `GET /capabilities`.',
  },
}

/** Advice is about what the contract leaves open, so it is not held against a caller. */
export function isAdvice(rule: FindingRuleId): boolean {
  return ruleTable[rule].severity === 'advice'
}

export function getFindingClass({ rule, withdrawnAt }: Pick<Finding, 'rule' | 'withdrawnAt'>): FindingClass {
  if (withdrawnAt !== undefined) return 'withdrawn'
  return isAdvice(rule) ? 'advice' : 'findings'
}

/** Groups findings like `groupFindings`, those of each class by themselves. */
export function groupByClass(findings: readonly Finding[]): Record<FindingClass, FindingGroup[]> {
  const select = (selectedClass: FindingClass): FindingGroup[] =>
    groupFindings(findings.filter((finding) => getFindingClass(finding) === selectedClass))
  return { findings: select('findings'), advice: select('advice'), withdrawn: select('withdrawn') }
}

/** Returns null for advice, which is forgotten when it turns out to be wrong. */
export function withdrawFinding(finding: Finding, withdrawnAt: number): Finding | null {
  return isAdvice(finding.rule) ? null : { ...finding, withdrawnAt }
}
