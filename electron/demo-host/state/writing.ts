import { randomUUID } from 'node:crypto'
import { createParameterError, DemoError } from './reply.ts'

interface Target {
  readonly topicid: string
  readonly noteid: string
  readonly layerId: string
}

interface Commit {
  /** The request as text that does not depend on the order of its members. */
  readonly request: string
  readonly windowId: string
  readonly target: Target
  readonly acceptedAt: number
  readonly ack: Record<string, unknown>
}

/** Commits to this layer always fail, so that a user can see a failure. */
const FAILING_LAYER = 'demo-fail'

/**
 * Keeps pencil commits and session commands (spec §3, §4). Records are only in memory and are lost
 * when the host restarts, so a missing record does not mean that nothing was saved.
 */
export class WritingStore {
  readonly #commits = new Map<string, Commit>()
  readonly #sessions = new Map<string, { request: string; ack: Record<string, unknown> }>()
  readonly #settleMs: number
  #record: Record<string, unknown> | null = null

  /** @param settleMs how long a commit stays unfinished, in milliseconds. */
  constructor(settleMs: number) {
    this.#settleMs = settleMs
  }

  forgetRecords(): void {
    this.#commits.clear()
    this.#sessions.clear()
  }

  /** Finishes all commits except that of `except`, so that tests and benchmarks need not wait. */
  finishCommits(except?: string): void {
    for (const [id, acceptCommit] of this.#commits) {
      if (id !== except) this.#commits.set(id, { ...acceptCommit, acceptedAt: -Infinity })
    }
  }

  hasCommit(requestId: string): boolean {
    return this.#commits.has(requestId)
  }

  /**
   * A repeated request with the same id gets the original response.
   *
   * @throws REQUEST_CONFLICT when the id was used for a different request, OPERATION_UNFINISHED
   *   while the window has an unfinished commit, 422 without a request id.
   */
  commit(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const requestId = getRequestId(body)
    const surfaceId = String(body['surfaceId'])
    const { topicid, noteid, layerId } = body['target'] as Target
    const target = { topicid, noteid, layerId }
    const request = JSON.stringify([surfaceId, topicid, noteid, layerId])
    const existing = this.#commits.get(requestId)
    if (existing) {
      if (existing.request === request) return existing.ack
      throw new DemoError(409, 'REQUEST_CONFLICT', 'This requestId was used for another target. Nothing was redone.')
    }
    const windowId = `window-${surfaceId}`
    this.#refuseSecond(windowId)
    const ack = createAcknowledgement(surfaceId, requestId, windowId, target)
    this.#commits.set(requestId, { request, windowId, target, acceptedAt: Date.now(), ack })
    return ack
  }

  /** @throws OPERATION_NOT_FOUND for an unknown request id. */
  getResult(requestId: string): Record<string, unknown> {
    const commit = this.#commits.get(requestId)
    if (!commit) throw new DemoError(404, 'OPERATION_NOT_FOUND', 'There is no record of this requestId.')
    const settled = this.#isSettled(commit)
    const saved = settled && commit.target.layerId !== FAILING_LAYER
    return {
      schemaVersion: 1,
      requestId,
      state: settled ? 'settled' : 'pending',
      settled,
      outcome: settled ? (saved ? 'saved' : 'failed') : 'pending',
      persistedSnapshotVerified: saved,
      snapshotCurrent: saved && this.#isLatest(commit),
      windowId: commit.windowId,
      target: commit.target,
    }
  }

  /** Returns the first response for the same id. @throws REQUEST_CONFLICT if the request differs */
  acceptSessionCommand(
    command: 'focus-begin' | 'reserve' | 'pause',
    body: Readonly<Record<string, unknown>>,
  ): Record<string, unknown> {
    const requestId = getRequestId(body)
    const runId = String(body['runId'])
    const key = `${command}/${requestId}`
    const request = JSON.stringify([runId, body['questionId'] ?? null, body['carrier'] ?? null])
    const existing = this.#sessions.get(key)
    if (existing) {
      if (existing.request === request) return existing.ack
      throw new DemoError(409, 'REQUEST_CONFLICT', 'This requestId was used for another run. Nothing was redone.')
    }
    const runningAttempt = this.#record?.['runId'] === runId ? this.#record['attemptId'] : undefined
    const attemptId = command === 'pause' && runningAttempt !== undefined ? runningAttempt : randomUUID().toUpperCase()
    const ack = {
      schemaVersion: 1,
      requestId,
      runId,
      attemptId,
      state: 'accepted',
      outcome: 'pending',
      settled: false,
      persisted: true,
      ready: false,
      canSwitch: false,
    }
    this.#sessions.set(key, { request, ack })
    this.#record = { runId, attemptId, requestId, command, questionId: body['questionId'] ?? null }
    return ack
  }

  /** The last state of the practice session; it survives a restart, unlike operation records. */
  getSessionRecord(): Record<string, unknown> | null {
    return this.#record
  }

  #refuseSecond(windowId: string): void {
    for (const [id, commit] of this.#commits) {
      if (commit.windowId !== windowId || this.#isSettled(commit)) continue
      throw new DemoError(409, 'OPERATION_UNFINISHED', `Operation ${id} in this window is not finished.`, {
        details: { requestId: id },
      })
    }
  }

  /** Returns false if a later snapshot of the same canvas exists. */
  #isLatest(commit: Commit): boolean {
    const commitsOfRequest = [...this.#commits.values()].filter(({ request }) => request === commit.request)
    return commitsOfRequest.at(-1) === commit
  }

  #isSettled(commit: Commit): boolean {
    return Date.now() - commit.acceptedAt >= this.#settleMs
  }
}

/** Reads the request id, which the client chooses (spec §4) and needs to read the outcome. */
function getRequestId(body: Readonly<Record<string, unknown>>): string {
  const requestId = String(body['requestId'])
  if (requestId.trim() === '') throw createParameterError('requestId', 'must not be empty.')
  return requestId
}

/** @see spec §2 Pencil commit acknowledgement */
function createAcknowledgement(surfaceId: string, requestId: string, windowId: string, target: Target) {
  return {
    schemaVersion: 1,
    state: 'pending',
    currentness: 'at-native-callback-only',
    ready: false,
    surfaceId,
    inputGate: {
      scope: 'application-ui-only',
      state: 'active',
      programmaticNavigationBlocked: true,
      grantsCallerLease: false,
    },
    topicid: target.topicid,
    scope: 'focus-pencil-snapshot-only',
    requestId,
    windowId,
    receipt: null,
    canSwitch: false,
    target,
    inputFrozen: true,
    includesNonPencilEditors: false,
    durability: 'process-local-operation-record',
  }
}
