import type { EventMessage } from '../../shared/ipc/method-definition.ts'
import { waitForLogin, LoginRefusedError } from './login.web.ts'

/**
 * Follows the event stream of the service process until the returned function is called. Uses
 * fetch, because an EventSource cannot send the page's secret. Reconnects after a break, first
 * after 0.5 s, later after up to 5 s. Waits for a login if the page has no secret.
 */
export function followEventStream(
  open: (signal: AbortSignal) => Promise<Response>,
  listener: (event: EventMessage) => void,
  onState: (connected: boolean) => void,
): () => void {
  const abort = new AbortController()
  void reconnectForever()
  return () => abort.abort()

  async function reconnectForever(): Promise<void> {
    let failures = 0
    while (!abort.signal.aborted) {
      const error = await stream(() => {
        failures = 0
      })
      if (abort.signal.aborted) return
      onState(false)
      if (error instanceof LoginRefusedError) await waitForLogin()
      else await new Promise((resolve) => setTimeout(resolve, Math.min(5_000, 500 * 2 ** failures)))
      failures += 1
    }
  }

  /** Reads one stream from start to end. Resolves with the reason of the end. */
  async function stream(onOpen: () => void): Promise<unknown> {
    try {
      const response = await open(abort.signal)
      if (!response.ok || !response.body) return null
      onOpen()
      onState(true)
      return await readStream(response.body, listener)
    } catch (error) {
      return error
    }
  }
}

async function readStream(body: ReadableStream<Uint8Array>, listener: (event: EventMessage) => void): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let unread = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    unread += decoder.decode(value, { stream: true })
    const blocks = unread.split('\n\n')
    unread = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith('data: ')) listener(JSON.parse(block.slice(6)) as EventMessage)
    }
  }
}
