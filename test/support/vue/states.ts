import type { PreparedWrite } from '../../../shared/operations/prepared-write.ts'
import type { UpdateState } from '../../../shared/ipc/updates.ts'
import type { AppInfo } from '../../../shared/ipc/app.ts'
import type { ConnectionState } from '../../../shared/ipc/connection.ts'
import type { ContentFacts } from '../../../shared/ipc/content.ts'
import type { Profile } from '../../../shared/ipc/profiles.ts'

export const profile: Profile = {
  id: 'p1',
  name: 'Study host',
  baseUrl: 'http://127.0.0.1:42340/bridge/v1',
  auth: { header: 'Authorization', scheme: 'Bearer' },
  readOnly: true,
  tlsFingerprint: null,
  demo: false,
  lastConnectedAt: null,
}

/** An online connection; `change` overrides parts of it. */
export function createConnectionState(change: Partial<ConnectionState> = {}): ConnectionState {
  return {
    phase: 'online',
    profile,
    host: {
      app: 'Notes',
      appVersion: '4.9.1',
      bridgeApiVersion: '0.49',
      routeCount: 70,
      apiFingerprint: null,
      guideHash: null,
      instanceNonce: 'n1',
    },
    latencyMs: 12.4,
    since: 1_700_000_000_000,
    epoch: 1,
    gaps: [],
    changes: [],
    error: null,
    nextTryAt: null,
    lastSeenAt: null,
    certificate: null,
    ...change,
  }
}

export const appInfo: AppInfo = {
  name: 'Bridge Inspector',
  version: '0.1.0',
  mode: 'browser',
  platform: 'linux',
  runtime: { node: '24.0.0' },
  dataDir: '/home/me/.config/bridge-inspector',
  demoRunning: false,
  opensPanel: false,
  recording: null,
  notices: [],
}

/** The state of a program that cannot update itself. */
export const noUpdates: UpdateState = {
  can: 'nothing',
  on: false,
  phase: 'idle',
  release: null,
  received: 0,
  total: 0,
  checkedAt: null,
  error: null,
}

/** A new title for a card, checked and ready to be sent. */
export const preparedTitleWrite: PreparedWrite = {
  ticket: 'ticket',
  expiresAt: 9_000_000,
  endpoint: 'notes.title',
  access: 'write',
  method: 'POST',
  path: '/notes/N1/title',
  origin: 'http://127.0.0.1:42340',
  basePath: '/bridge/v1',
  headers: { authorization: '[token]' },
  body: '{"text":"New","confirm":true}',
  added: ['confirm'],
  file: null,
  requiresMax: null,
  listed: true,
  canPreview: false,
  warnings: [],
  blockedBy: null,
  sameRequestId: null,
}

/** A small picture that was opened. */
export const createContentFacts = (handle: string): ContentFacts => ({
  handle,
  kind: 'image',
  mediaType: 'image/png',
  declaredType: 'image/png',
  mismatch: false,
  undecodable: false,
  byteLength: 9,
  hostRanges: true,
  fromCache: false,
  width: 1,
  height: 1,
  status: 200,
  path: '/x',
  durationMs: 1,
  receivedAt: 1,
  epoch: 1,
  exchangeId: 'x',
  fileName: 'x.png',
})
