import type { ResponseMeta } from '../../../shared/ipc/bridge.ts'

/** What the service process returns for a read that the host answered with this text. */
export function createReadReply(endpoint: string, text: string): { meta: ResponseMeta; bytes: ArrayBuffer } {
  const bytes = new TextEncoder().encode(text)
  const meta: ResponseMeta = {
    exchangeId: 'e1',
    endpoint,
    method: 'GET',
    path: '/x',
    status: 200,
    contentType: 'application/json',
    headers: {},
    durationMs: 1,
    receivedAt: 1,
    epoch: 1,
    byteLength: bytes.byteLength,
  }
  return { meta, bytes: bytes.buffer }
}
