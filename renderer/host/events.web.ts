import type { EventMessage } from '../../shared/ipc/wire.ts'

/**
 * Follows the event stream of the browser host for as long as the page lives. Read with fetch, because an EventSource cannot
 * send the page's secret. Comes back by itself after a break, 0.5 s growing to 5 s.
 */
export function followEvents(
  headers: () => Promise<Record<string, string>>,
  listener: (event: EventMessage) => void,
  onState: (connected: boolean) => void,
): () => void {
  const abort = new AbortController()
  void follow()
  return () => abort.abort()

  async function follow(): Promise<void> {
    let failures = 0
    while (!abort.signal.aborted) {
      try {
        const response = await fetch('/ipc/events', { headers: await headers(), signal: abort.signal })
        if (!response.ok || !response.body) throw new Error('no stream')
        failures = 0
        onState(true)
        await readStream(response.body, listener)
      } catch {
        // Told by onState; the loop tries again.
      }
      if (abort.signal.aborted) return
      onState(false)
      failures += 1
      await new Promise((resolve) => setTimeout(resolve, Math.min(5_000, 500 * 2 ** (failures - 1))))
    }
  }
}

async function readStream(body: ReadableStream<Uint8Array>, listener: (event: EventMessage) => void): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    rest += decoder.decode(value, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith('data: ')) listener(JSON.parse(block.slice(6)) as EventMessage)
    }
  }
}
