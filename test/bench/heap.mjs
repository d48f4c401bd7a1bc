/** Bytes held by a page and its workers, see `heapsOf`. */
export async function heapOf(page) {
  const { page: pageSession, workers } = await heapsOf(page)
  return pageSession + workers
}

/**
 * Bytes held by a page, and by its workers together: used heap plus the buffers behind typed
 * arrays, after a collection. Workers reply through their own session inside the page's.
 */
export async function heapsOf(page) {
  const session = await page.context().newCDPSession(page)
  const workers = []
  const waiting = new Map()
  session.on('Target.attachedToTarget', ({ sessionId }) => workers.push(sessionId))
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message)
    waiting.get(id)?.(result)
  })
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false })
  await new Promise((resolve) => setTimeout(resolve, 300))
  let id = 0
  const ask = (sessionId, method) =>
    new Promise((resolve) => {
      id += 1
      waiting.set(id, resolve)
      void session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) })
    })
  const size = ({ usedSize, backingStorageSize = 0 }) => usedSize + backingStorageSize
  await session.send('HeapProfiler.collectGarbage')
  const pageHeap = size(await session.send('Runtime.getHeapUsage'))
  let total = 0
  for (const worker of workers) {
    await ask(worker, 'HeapProfiler.collectGarbage')
    total += size(await ask(worker, 'Runtime.getHeapUsage'))
  }
  await session.detach()
  return { page: pageHeap, workers: total, workerCount: workers.length }
}
