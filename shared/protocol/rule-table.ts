import type { FindingRule } from './finding.ts'

/** What is told of a rule besides its words in the interface. */
interface RuleFacts {
  /** The part of the contract that it comes from. */
  readonly spec: string
  /** What counts as breaking it. */
  readonly when: string
  /** What to do instead. */
  readonly instead: string
}

/** The table of rules; the words of the interface are under `protocol.rule.<id>`. */
export const ruleTable: Readonly<Record<FindingRule, RuleFacts>> = {
  'commit-not-polled': {
    spec: 'spec §3; §4 pencil-commit',
    when: 'A pencil commit was accepted, and 25 s after the last poll its result had not been read until `settled` is true.',
    instead: 'Poll `pencil-result` with the same `requestId` until `settled` is true, then read `outcome`.',
  },
  'result-of-new-id': {
    spec: 'spec §4 pencil-result',
    when: 'After a commit, `pencil-result` was asked with an id under which nothing was committed, and the host does not know it either.',
    instead: 'Send the `requestId` of the commit; never create a new one for the result.',
  },
  'request-id-other-target': {
    spec: 'spec §4 pencil-commit; §7',
    when: 'A `requestId` that the host had accepted was sent again with another `target`.',
    instead: 'Create a new `requestId` for each commit; repeat one only with the same request.',
  },
  'second-commit-of-window': {
    spec: 'spec §4 pencil-commit; §8',
    when: 'A commit was refused because of one of the same surface that this caller had not read until `settled`.',
    instead: 'Poll the first commit until `settled` is true, then send the next.',
  },
  'stale-revision': {
    spec: 'spec §4 practice-verdict',
    when: 'A verdict was refused for an `expectedRevision` that the caller’s own verdict had replaced, that had been refused before, or that a panel was never told.',
    instead: 'Read the card again, and send the revision with which the answer sheet is opened.',
  },
  'verdict-resent': {
    spec: 'spec §7 PRACTICE_TOPIC_CHANGED',
    when: 'After `PRACTICE_TOPIC_CHANGED` the same verdict was sent again, without any read in between.',
    instead: 'Refresh, read the card and its study set again, and submit with the new values.',
  },
  'write-on-failed-id': {
    spec: 'spec §4 blank-bands; §7',
    when: 'Within ten exchanges after a failed write, a write used an id that the host had called unknown, or that only the failed answer had named.',
    instead: 'Use ids from an answer without `error`; read again before the next write.',
  },
  'paging-stopped': {
    spec: 'spec §2 mind-map tree; §4 card listing',
    when: '25 s after a page of the card listing with a `nextCursor`, the next page had not been asked for. A read with `limit=1` only wants the count, and whoever once goes on after such a stop reads on when somebody wants more.',
    instead: 'Follow `nextCursor` until it is null.',
  },
  'cursor-invented': {
    spec: 'spec §4 card listing',
    when: 'A page was asked for with a cursor that no page had told any load of this caller, or at once again with the one that had just been used.',
    instead: 'Take `cursor` from the `nextCursor` of the previous response, and go on with the one that this gives.',
  },
  'incomplete-listing-then-write': {
    spec: 'spec §2 mind-map tree',
    when: 'A listing was left with `truncated` or `walkLimitReached` true, and a card of its study set was written that was not read by itself.',
    instead:
      'Read on until `nextCursor` is null, sub-map by sub-map where the limit is reached, or read the card itself before the write.',
  },
  'parameter-out-of-range': {
    spec: 'spec §4; §8',
    when: 'A parameter was outside its range, a page number below 1, or a list longer than the host takes.',
    instead: 'Keep to the ranges of the contract and of the host’s capabilities; the first page is 1.',
  },
  'retry-too-early': {
    spec: 'observed: errors',
    when: 'The same request was sent again before the `retryAfterSeconds` of its refusal were over.',
    instead: 'Wait `retryAfterSeconds`; for a job that is running, poll instead of sending again.',
  },
  'read-burst': {
    spec: 'spec §8',
    when: 'The same read was answered five times within a second, without a write in between.',
    instead: 'Read once and share the answer.',
  },
  'polling-too-fast': {
    spec: 'spec §6',
    when: 'The same state was polled six times in a row within two seconds.',
    instead: 'Poll at most twice a second, and more slowly the longer it takes.',
  },
  'binary-through-api': {
    spec: 'spec §1',
    when: 'A panel read bytes or Markdown through `host.api`, which parses every answer as JSON.',
    instead: 'Use plain `fetch` for answers that are not JSON.',
  },
  'confirm-or-addon-sent': {
    spec: 'spec §4; §5.6',
    when: 'A panel sent `confirm` or `addon` in a write; the host replaces both.',
    instead: 'Leave both out: the host fills them in.',
  },
  'outside-allow-list': {
    spec: 'spec §5.4; §7',
    when: 'A request for a route that exists, or that resembles none, was refused with 403 `IN_PROCESS_NOT_ALLOWED`.',
    instead: 'Call only what the host’s allow-list names, and have a way without it.',
  },
  'ids-of-old-run': {
    spec: 'spec §4 pencil-result',
    when: 'After a restart of the host, a request id or cursor of the run before was sent again although it had been refused.',
    instead: 'After a restart read the data back independently, and begin a listing from its start.',
  },
  'session-not-confirmed': {
    spec: 'spec §3; §4 session-reserve',
    when: 'A session command was accepted with `settled` false, and 25 s later nothing had been read that tells of the session: the writing context, its `requestId`, run or attempt.',
    instead: 'Confirm by `requestId`, or re-read the session record, before the command counts as done.',
  },
  'batch-of-one': {
    spec: 'spec §4 batch-get',
    when: 'A panel or client read ten cards with a list of one id each, each at once after the one before.',
    instead: 'Send the ids as one list, up to the host’s limit.',
  },
  'unknown-route': {
    spec: 'spec §1; §7',
    when: 'A panel or client asked for a route that neither the contract nor this host’s capabilities list, and was refused with 404 or 405, or with 403 `IN_PROCESS_NOT_ALLOWED` where a known route is nearly the same.',
    instead: 'Take the route from `GET /capabilities`.',
  },
}
