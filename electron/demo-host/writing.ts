import { createHash, randomUUID } from 'node:crypto'
import { API_VERSION, DemoError } from './reply.ts'

interface Commit {
  readonly digest: string
  readonly windowId: string
  readonly acceptedAt: number
  readonly ack: Record<string, unknown>
}

/**
 * Pencil commits and session commands (spec §3, §4). Records live in memory alone: they are lost when the host restarts, and a
 * missing one does not mean that nothing was saved.
 */
export class WritingDesk {
  readonly #commits = new Map<string, Commit>()
  readonly #sessions = new Map<string, Record<string, unknown>>()
  readonly #settleMs: number

  /** `settleMs`: how long a commit stays unfinished. */
  constructor(settleMs: number) {
    this.#settleMs = settleMs
  }

  forget(): void {
    this.#commits.clear()
    this.#sessions.clear()
  }

  /** Same request id and request: the original answer. Throws `REQUEST_CONFLICT` and `OPERATION_UNFINISHED`. */
  commit(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const requestId = String(body['requestId'])
    const surfaceId = String(body['surfaceId'])
    const target = body['target'] as { topicid: string; noteid: string; layerId: string }
    const digest = createHash('sha256')
      .update(JSON.stringify([surfaceId, target]))
      .digest('hex')
    const known = this.#commits.get(requestId)
    if (known) {
      if (known.digest === digest) return known.ack
      throw new DemoError(409, 'REQUEST_CONFLICT', 'This requestId was used for another target. Nothing was redone.')
    }
    const windowId = `window-${surfaceId}`
    for (const [id, commit] of this.#commits) {
      if (commit.windowId === windowId && !this.#settled(commit)) {
        throw new DemoError(409, 'OPERATION_UNFINISHED', `Operation ${id} of this window is not finished.`, {
          details: { requestId: id },
        })
      }
    }
    const ack = {
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
      bridgeApiVersion: API_VERSION,
    }
    this.#commits.set(requestId, { digest, windowId, acceptedAt: Date.now(), ack })
    return ack
  }

  /** Throws `OPERATION_NOT_FOUND`. */
  result(requestId: string): Record<string, unknown> {
    const commit = this.#commits.get(requestId)
    if (!commit) throw new DemoError(404, 'OPERATION_NOT_FOUND', 'There is no record of this requestId.')
    const settled = this.#settled(commit)
    return {
      schemaVersion: 1,
      requestId,
      state: settled ? 'settled' : 'pending',
      settled,
      outcome: settled ? 'saved' : 'pending',
      persistedSnapshotVerified: settled,
      snapshotCurrent: settled,
      windowId: commit.windowId,
    }
  }

  session(command: string, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const requestId = String(body['requestId'])
    const key = `${command}/${requestId}`
    const known = this.#sessions.get(key)
    if (known) return known
    const ack = {
      schemaVersion: 1,
      requestId,
      runId: String(body['runId']),
      attemptId: randomUUID().toUpperCase(),
      state: 'accepted',
      outcome: 'pending',
      settled: false,
      persisted: true,
      ready: false,
      canSwitch: false,
    }
    this.#sessions.set(key, ack)
    return ack
  }

  #settled(commit: Commit): boolean {
    return Date.now() - commit.acceptedAt >= this.#settleMs
  }
}
