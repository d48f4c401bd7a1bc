import { toCanonicalJson, isSuccess, isRefused, getTextMember, type ObservedExchange } from '../observed-exchange.ts'
import { getMember } from '../../json/object.ts'
import {
  takeLast,
  FOLLOW_UP_TIMEOUT_MS,
  BoundedMap,
  type CallerMemory,
  type RuleContext,
  type RuleState,
} from '../rule-state.ts'

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
  /** True if the outcome is known, or cannot become known any more. */
  isFinished: boolean
  reported: string | null
}

/** An unfinished commit affects the next commit in its window for this long. */
const STALE_MS = 10 * 60_000
/** With these statuses, the cause of the refusal is not an unfinished commit. */
const otherCauses: ReadonlySet<number | null> = new Set([400, 401, 403, 404, 422, 429])

/** Checks the pencil commits of one caller by request id (spec §4 pencil-commit, pencil-result). */
export function createPencilRule(memory: CallerMemory): RuleState {
  const commits = new BoundedMap<Commit>(200)

  function observeCommit(exchange: ObservedExchange, context: RuleContext): void {
    const requestId = getTextMember(exchange.body, 'requestId')
    if (requestId === null) return
    memory.addRequest(requestId)
    const target = toCanonicalJson(getMember(exchange.body, 'target'))
    const surfaceId = getTextMember(exchange.body, 'surfaceId')
    const existingCommit = commits.get(requestId)
    if (existingCommit && isSameRun(existingCommit, exchange) && exchange.startedAt >= existingCommit.end) {
      // Repeating the same request is a retry, whatever the result of the first attempt was (spec
      // §4).
      if (existingCommit.target !== target && exchange.state === 'answered') {
        context.report('request-id-other-target', [existingCommit.seq, exchange.seq], { requestId })
      }
      return
    }
    const unfinishedCommit = [...commits.values()].findLast(
      (commit) => isUnfinished(commit, exchange) && commit.surfaceId === surfaceId,
    )
    if (unfinishedCommit && surfaceId !== null && isRefused(exchange) && !otherCauses.has(exchange.status)) {
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
      // A different load requested the commit, or the response is unknown.
      if (memory.hasRequest(requestId)) return
      const unpolledCommit = [...commits.values()].findLast(
        (commit) =>
          !commit.isFinished &&
          commit.polls.length === 0 &&
          isSameRun(commit, exchange) &&
          commit.end <= exchange.startedAt,
      )
      // The host does not know the id either, so no caller committed with it.
      if (unpolledCommit && context.isRecordingComplete && isRefused(exchange) && exchange.status === 404) {
        context.report('result-of-new-id', [unpolledCommit.seq, exchange.seq], {
          requestId,
          committed: unpolledCommit.requestId,
        })
      }
      return
    }
    polledCommit.polls = takeLast([...polledCommit.polls, exchange.seq], 45)
    polledCommit.lastEnd = Math.max(polledCommit.lastEnd, exchange.endedAt)
    // The outcome was not reported or the record is gone. Callers must then read the data again,
    // which no rule checks.
    if (
      getMember(exchange.response, 'settled') === true ||
      !isSuccess(exchange) ||
      getMember(exchange.response, 'settled') === undefined
    ) {
      polledCommit.isFinished = true
    }
    if (polledCommit.isFinished && polledCommit.reported !== null) context.withdraw(polledCommit.reported)
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
    checkOverdue(context) {
      for (const commit of commits.values()) {
        if (commit.isFinished || commit.reported !== null || context.timestamp - commit.lastEnd < FOLLOW_UP_TIMEOUT_MS)
          continue
        const { requestId, seq, polls } = commit
        commit.reported = context.report('commit-not-polled', [seq, ...polls], {
          requestId,
          polls: String(polls.length),
        })
      }
    },
  }
}

const isUnfinished = (commit: Commit, exchange: ObservedExchange): boolean =>
  !commit.isFinished &&
  isSameRun(commit, exchange) &&
  commit.end <= exchange.startedAt &&
  exchange.startedAt - commit.lastEnd < STALE_MS

/**
 * Whether the host still runs as it did at the commit: it loses its operation records when it
 * restarts (spec §4).
 */
const isSameRun = (commit: Pick<Commit, 'instance'>, exchange: ObservedExchange): boolean =>
  commit.instance === null || exchange.instance === null || commit.instance === exchange.instance
