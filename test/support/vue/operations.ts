import type { Operation, OperationSummary } from '../../../shared/ipc/operations.ts'
import type { PreparedWrite } from '../../../shared/operations/prepared-write.ts'

/** A record as the service process reports it; a test passes whatever matters to it. */
export function createSummary(id: string, overrides: Partial<OperationSummary> = {}): OperationSummary {
  return {
    id,
    endpoint: 'notes.title',
    origin: 'sent',
    profileId: 'p',
    profileName: 'Profile',
    createdAt: 1_000,
    updatedAt: 1_000,
    state: 'persisted',
    outcome: null,
    verdict: {
      code: 'saved-and-verified',
      persisted: true,
      outcome: null,
      persistedSnapshotVerified: null,
      snapshotCurrent: null,
      done: 'yes',
      quoted: [{ at: '/persisted', value: 'true' }],
    },
    errorCode: null,
    failureCode: null,
    durationMs: null,
    caller: null,
    requestId: null,
    host: 'http://127.0.0.1:1/bridge/v1',
    topicid: null,
    noteid: null,
    windowId: null,
    tracking: 'none',
    nextLookAt: null,
    observations: 0,
    beforeRestart: false,
    unseen: false,
    ...overrides,
  }
}

export function createOperation(overrides: Partial<OperationSummary> = {}, rest: Partial<Operation> = {}): Operation {
  return {
    summary: createSummary('o-1', overrides),
    method: 'POST',
    path: '/notes/N/title',
    origin: 'http://127.0.0.1:1',
    body: '{"text":"T","confirm":true}',
    events: [],
    eventsDropped: 0,
    transitions: [],
    changes: [],
    since: [],
    readable: true,
    earlier: null,
    ...rest,
  }
}

export function createPreparedWrite(overrides: Partial<PreparedWrite> = {}): PreparedWrite {
  return {
    ticket: 'ticket-1',
    expiresAt: Date.now() + 600_000,
    endpoint: 'notes.title',
    access: 'write',
    method: 'POST',
    path: '/notes/N/title',
    origin: 'http://127.0.0.1:1',
    basePath: '/bridge/v1',
    headers: { Authorization: 'Bearer ••••' },
    body: '{"text":"T","confirm":true}',
    added: ['confirm'],
    file: null,
    requiresMax: null,
    listed: null,
    canPreview: true,
    warnings: [],
    blockedBy: null,
    sameRequestId: null,
    ...overrides,
  }
}
