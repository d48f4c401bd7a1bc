import { toCanonicalJson, isSuccess, isRefused, getTextMember, type ObservedExchange } from '../observed-exchange.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { takeLast, BoundedMap, type RuleContext, type RuleState } from '../rule-state.ts'

interface Commit {
  readonly requestId: string
  readonly seq: number
  readonly end: number
  readonly instance: string | null
  readonly target: string
  readonly surfaceId: string | null
  readonly windowId: string | null
  polls: number[]
  lastEnd: number
  /** Milliseconds between the last poll and the response before it. */
  pollPauseMs: number
  /** True if the outcome is known, or cannot become known any more. */
  isFinished: boolean
  reported: string | null
}

/** An unfinished commit affects the next commit in its window for this long. */
const STALE_MS = 10 * 60_000
const MIN_POLL_PATIENCE_MS = 2_000
/** With these statuses, the host did not look at the state of the window. */
const STATUSES_OF_ACCESS: ReadonlySet<number | null> = new Set([401, 403, 404, 405])
/** With these statuses, the host did not look up the request id. */
const STATUSES_WITHOUT_LOOKUP: ReadonlySet<number | null> = new Set([401, 403, 405, 408, 429])

/** Checks the pencil commits of one caller by request id (spec §4 pencil-commit, pencil-result). */
export function createPencilRule(): RuleState {
  const commits = new BoundedMap<Commit>(200)

  function observeCommit(exchange: ObservedExchange, context: RuleContext): void {
    const requestId = getTextMember(exchange.body, 'requestId')
    if (requestId === null) return
    const target = toTargetKey(getMember(exchange.body, 'target'))
    const surfaceId = getTextMember(exchange.body, 'surfaceId')
    const existingCommit = commits.get(requestId)
    if (existingCommit && isSameRun(existingCommit, exchange) && exchange.startedAt >= existingCommit.end) {
      // Repeating the same request is a retry, which returns the original result (spec §4).
      if (existingCommit.target === target) observeOutcome(existingCommit, exchange, context)
      else if (exchange.state === 'answered') {
        context.report('request-id-other-target', [existingCommit.seq, exchange.seq], { requestId })
      }
      return
    }
    const unfinishedCommit = [...commits.values()].findLast(
      (commit) => isUnfinished(commit, exchange) && commit.surfaceId === surfaceId,
    )
    if (unfinishedCommit && surfaceId !== null && isRefusedForState(exchange)) {
      const params = { requestId, first: unfinishedCommit.requestId, windowId: unfinishedCommit.windowId ?? surfaceId }
      context.report('second-commit-of-window', [unfinishedCommit.seq, exchange.seq], params)
    }
    if (!isSuccess(exchange)) return
    const windowId = getTextMember(exchange.response, 'windowId')
    const { seq, endedAt: end, instance } = exchange
    const isFinished = getMember(exchange.response, 'settled') === true
    const polls: number[] = []
    const newCommit = {
      requestId,
      seq,
      end,
      instance,
      target,
      surfaceId,
      windowId,
      polls,
      lastEnd: end,
      pollPauseMs: 0,
      isFinished,
      reported: null,
    }
    commits.set(requestId, newCommit)
  }

  function observePoll(exchange: ObservedExchange, context: RuleContext): void {
    const requestId = getTextMember(exchange.body, 'requestId')
    if (requestId === null) return
    const polledCommit = commits.get(requestId)
    if (!polledCommit) {
      // A different load or caller requested the commit, or the response is unknown.
      if (context.wasCommitted(requestId)) return
      const unpolledCommit = [...commits.values()].findLast(
        (commit) =>
          !commit.isFinished &&
          commit.polls.length === 0 &&
          isSameRun(commit, exchange) &&
          commit.end <= exchange.startedAt,
      )
      // The host does not know the id either, so no caller committed with it.
      if (unpolledCommit && context.isRecordingComplete && isUnknownToHost(exchange)) {
        context.report('result-of-new-id', [unpolledCommit.seq, exchange.seq], {
          requestId,
          committed: unpolledCommit.requestId,
        })
      }
      return
    }
    polledCommit.polls = takeLast([...polledCommit.polls, exchange.seq], 45)
    polledCommit.pollPauseMs = exchange.startedAt - polledCommit.lastEnd
    // Not reported, or the record is gone: callers must read the data, which no rule checks.
    if (!isSuccess(exchange) || getMember(exchange.response, 'settled') === undefined) polledCommit.isFinished = true
    observeOutcome(polledCommit, exchange, context)
  }

  /** Reads from a poll, or from a repeated commit, if the commit has settled. */
  function observeOutcome(commit: Commit, exchange: ObservedExchange, context: RuleContext): void {
    commit.lastEnd = Math.max(commit.lastEnd, exchange.endedAt)
    if (getMember(exchange.response, 'settled') === true) commit.isFinished = true
    if (!commit.isFinished || commit.reported === null) return
    context.withdraw(commit.reported)
    commit.reported = null
  }

  return {
    observe(exchange, context) {
      if (exchange.endpoint === 'writing.pencilCommit') observeCommit(exchange, context)
      else if (exchange.endpoint === 'writing.pencilResult') observePoll(exchange, context)
      for (const commit of commits.values()) if (!isSameRun(commit, exchange)) commit.isFinished = true
    },
    observeSibling(exchange, context) {
      const requestId = getTextMember(exchange.body, 'requestId')
      if (exchange.endpoint === 'writing.pencilResult' && requestId !== null && commits.get(requestId))
        observePoll(exchange, context)
    },
    isOwing: () => [...commits.values()].some(({ isFinished, reported }) => !isFinished && reported === null),
    checkOverdue(context) {
      for (const commit of commits.values()) {
        if (commit.isFinished || commit.reported !== null) continue
        if (!context.isOverdue(commit.lastEnd, commit.polls.length === 0 ? 0 : getPollPatience(commit))) continue
        const { requestId, seq, polls } = commit
        commit.reported = context.report('commit-not-polled', [seq, ...polls], {
          requestId,
          polls: String(polls.length),
        })
      }
    },
  }
}

/** A caller that polls more and more slowly doubles the pause before each poll. */
const getPollPatience = ({ pollPauseMs }: Commit): number => Math.max(MIN_POLL_PATIENCE_MS, 2 * pollPauseMs)

const isUnfinished = (commit: Commit, exchange: ObservedExchange): boolean =>
  !commit.isFinished &&
  isSameRun(commit, exchange) &&
  commit.end <= exchange.startedAt &&
  exchange.startedAt - commit.lastEnd < STALE_MS

/** The members that the contract names (spec §4); `layerId` may be the empty string or left out. */
const toTargetKey = (target: unknown): string =>
  toCanonicalJson(['topicid', 'noteid', 'layerId'].map((name) => getMember(target, name) ?? ''))

/**
 * Returns whether a refused commit was refused for the state of its window, as far as the response
 * shows. The contract names no status for it (spec §7), so only causes that show are excluded.
 */
const isRefusedForState = (exchange: ObservedExchange): boolean =>
  isRefused(exchange) &&
  !STATUSES_OF_ACCESS.has(exchange.status) &&
  !/CONFIRM|PARAMETER|MALFORMED|SCHEMA|VALIDATION/.test(exchange.code ?? '')

/** The host does not know the request id. The contract names no status for it (spec §7). */
const isUnknownToHost = (exchange: ObservedExchange): boolean =>
  isRefused(exchange) &&
  !STATUSES_WITHOUT_LOOKUP.has(exchange.status) &&
  (exchange.status ?? 0) < 500 &&
  !/BUSY|LOCKED|CONFIRM|TOO_MANY|RATE/.test(exchange.code ?? '')

/** Operation records are lost when the host restarts (spec §4). */
const isSameRun = (commit: Pick<Commit, 'instance'>, exchange: ObservedExchange): boolean =>
  commit.instance === null || exchange.instance === null || commit.instance === exchange.instance
