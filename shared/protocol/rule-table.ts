import type { FindingRuleId } from './finding.ts'

/** The documentation of a rule; the interface has its own texts. */
interface RuleDescription {
  /** The part of the contract that it comes from. */
  readonly specReference: string
  /** What counts as breaking it. */
  readonly violation: string
  /** What to do instead. */
  readonly remedy: string
}

/** The table of rules; the words of the interface are under `protocol.rule.<id>`. */
export const ruleTable: Readonly<Record<FindingRuleId, RuleDescription>> = {
  'commit-not-polled': {
    specReference: 'spec §3; §4 pencil-commit',
    violation:
      'A pencil commit was accepted, and 25 s after the last poll its result had not been read until `settled` is true.',
    remedy: 'Poll `pencil-result` with the same `requestId` until `settled` is true, then read `outcome`.',
  },
  'result-of-new-id': {
    specReference: 'spec §4 pencil-result',
    violation:
      'After a commit, `pencil-result` was asked with an id under which nothing was committed, and the host does not know it either.',
    remedy: 'Send the `requestId` of the commit; never create a new one for the result.',
  },
  'request-id-other-target': {
    specReference: 'spec §4 pencil-commit; §7',
    violation: 'A `requestId` that the host had accepted was sent again with another `target`.',
    remedy: 'Create a new `requestId` for each commit; repeat one only with the same request.',
  },
  'second-commit-of-window': {
    specReference: 'spec §4 pencil-commit; §8',
    violation: 'A commit was refused because of one of the same surface that this caller had not read until `settled`.',
    remedy: 'Poll the first commit until `settled` is true, then send the next.',
  },
  'stale-revision': {
    specReference: 'spec §4 practice-verdict',
    violation:
      'A verdict was refused for an `expectedRevision` that the caller’s own verdict had replaced, that had been refused before, or that a panel was never told.',
    remedy: 'Read the card again, and send the revision with which the answer sheet is opened.',
  },
  'verdict-resent': {
    specReference: 'spec §7 PRACTICE_TOPIC_CHANGED',
    violation: 'After `PRACTICE_TOPIC_CHANGED` the same verdict was sent again, without any read in between.',
    remedy: 'Refresh, read the card and its study set again, and submit with the new values.',
  },
  'write-on-failed-id': {
    specReference: 'spec §4 blank-bands; §7',
    violation:
      'Within ten exchanges after a failed write, a write used an id that the host had called unknown, or that only the failed answer had named.',
    remedy: 'Use ids from an answer without `error`; read again before the next write.',
  },
  'paging-stopped': {
    specReference: 'spec §2 mind-map tree; §4 card listing',
    violation:
      '25 s after a page of the card listing with a `nextCursor`, the next page had not been asked for. A read with `limit=1` only wants the count, and whoever once goes on after such a stop reads on when somebody wants more.',
    remedy: 'Follow `nextCursor` until it is null.',
  },
  'cursor-invented': {
    specReference: 'spec §4 card listing',
    violation:
      'A page was asked for with a cursor that no page had told any load of this caller, or at once again with the one that had just been used.',
    remedy: 'Take `cursor` from the `nextCursor` of the previous response, and go on with the one that this gives.',
  },
  'incomplete-listing-then-write': {
    specReference: 'spec §2 mind-map tree',
    violation:
      'A listing was left with `truncated` or `walkLimitReached` true, and a card of its study set was written that was not read by itself.',
    remedy:
      'Read on until `nextCursor` is null, sub-map by sub-map where the limit is reached, or read the card itself before the write.',
  },
  'parameter-out-of-range': {
    specReference: 'spec §4; §8',
    violation: 'A parameter was outside its range, a page number below 1, or a list longer than the host takes.',
    remedy: 'Keep to the ranges of the contract and of the host’s capabilities; the first page is 1.',
  },
  'retry-too-early': {
    specReference: 'observed: errors',
    violation: 'The same request was sent again before the `retryAfterSeconds` of its refusal were over.',
    remedy: 'Wait `retryAfterSeconds`; for a job that is running, poll instead of sending again.',
  },
  'read-burst': {
    specReference: 'spec §8',
    violation: 'The same read was answered five times within a second, without a write in between.',
    remedy: 'Read once and share the answer.',
  },
  'polling-too-fast': {
    specReference: 'spec §6',
    violation: 'The same state was polled six times in a row within two seconds.',
    remedy: 'Poll at most twice a second, and more slowly the longer it takes.',
  },
  'binary-through-api': {
    specReference: 'spec §1',
    violation: 'A panel read bytes or Markdown through `host.api`, which parses every answer as JSON.',
    remedy: 'Use plain `fetch` for answers that are not JSON.',
  },
  'confirm-or-addon-sent': {
    specReference: 'spec §4; §5.6',
    violation: 'A panel sent `confirm` or `addon` in a write; the host replaces both.',
    remedy: 'Leave both out: the host fills them in.',
  },
  'outside-allow-list': {
    specReference: 'spec §5.4; §7',
    violation:
      'A request for a route that exists, or that resembles none, was refused with 403 `IN_PROCESS_NOT_ALLOWED`.',
    remedy: 'Call only what the host’s allow-list names, and have a way without it.',
  },
  'ids-of-old-run': {
    specReference: 'spec §4 pencil-result',
    violation:
      'After a restart of the host, a request id or cursor of the run before was sent again although it had been refused.',
    remedy: 'After a restart read the data back independently, and begin a listing from its start.',
  },
  'session-not-confirmed': {
    specReference: 'spec §3; §4 session-reserve',
    violation:
      'A session command was accepted with `settled` false, and 25 s later nothing had been read that tells of the session: the writing context, its `requestId`, run or attempt.',
    remedy: 'Confirm by `requestId`, or re-read the session record, before the command counts as done.',
  },
  'batch-of-one': {
    specReference: 'spec §4 batch-get',
    violation: 'A panel or client read ten cards with a list of one id each, each at once after the one before.',
    remedy: 'Send the ids as one list, up to the host’s limit.',
  },
  'unknown-route': {
    specReference: 'spec §1; §7',
    violation:
      'A panel or client asked for a route that neither the contract nor this host’s capabilities list, and was refused with 404 or 405, or with 403 `IN_PROCESS_NOT_ALLOWED` where a known route is nearly the same.',
    remedy: 'Take the route from `GET /capabilities`.',
  },
}
