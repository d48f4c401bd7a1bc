import { onTestFinished } from 'vitest'
import type { Connection } from '../../../electron/services/bridge/connection/connection.ts'
import type { BridgeTarget, RequestLimits } from '../../../electron/services/bridge/types.ts'
import type { ContentRequest } from '../../../electron/services/media/content-response.ts'
import { createContentService, type ContentService } from '../../../electron/services/media/content-service.ts'
import type { ContentRef } from '../../../shared/ipc/content.ts'
import { createTarget, createTestClient } from './test-client.ts'

export const PAGE_CALLER = 'desktop/1/0'

export const createContentRef = (contentId = 'c1', query: ContentRef['query'] = {}): ContentRef => ({
  endpoint: 'notes.content',
  params: { noteid: 'N1', contentId },
  query,
})

/**
 * The gateway on a real client that talks to a host at this address, without connection changes.
 */
export interface Gateway {
  readonly contents: ContentService
  /** Sends requests there from now on. */
  setTarget(target: Partial<BridgeTarget> & { baseUrl?: string }): void
  readonly neverAborted: AbortSignal
  /** Requests the bytes as an element of the page does. */
  get(handle: string, range?: string | null, more?: Partial<ContentRequest>): Promise<ReceivedContent>
}

export interface ReceivedContent {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  /** Why the body broke off. */
  readonly error: unknown
}

export function createGateway(
  baseUrl: string,
  options: { cacheBytes?: number; limits?: Partial<RequestLimits> } = {},
): Gateway {
  const { client } = createTestClient(options.limits)
  let target = createTarget(baseUrl)
  const connection = { target: () => target, checkSoon: () => undefined } as unknown as Connection
  const contents = createContentService(client, connection, options)
  onTestFinished(() => {
    contents.close()
    client.close()
  })
  const never = new AbortController().signal
  return {
    contents,
    neverAborted: never,
    setTarget: (next) => void (target = { ...target, ...next }),
    async get(handle, range = null, more = {}) {
      const { status, headers, body } = await contents.serve({
        method: 'GET',
        handle,
        range,
        ifRange: null,
        isDownload: false,
        isForImage: true,
        canTakePieces: true,
        canUse: (page) => page === PAGE_CALLER,
        signal: never,
        ...more,
      })
      const pieces: Buffer[] = []
      let error: unknown = null
      try {
        for await (const piece of body ?? []) pieces.push(piece as Buffer)
      } catch (thrown) {
        error = thrown
      }
      return { status, headers, bytes: Buffer.concat(pieces), error }
    },
  }
}
