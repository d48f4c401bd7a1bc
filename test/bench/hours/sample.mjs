import { heapsOf } from '../heap.mjs'
import { median } from '../wire/load.mjs'

/**
 * What is judged. The code that V8 compiles in the service and the buffers of its sockets are shown
 * only: both go on growing for hours, to a limit that is not the program's.
 */
const judged = ['page', 'workers', 'service', 'threads', 'nodes', 'listeners']
/**
 * Growth that counts: the page's compiled code cannot be told apart, and a watched record gains an
 * entry with each look.
 */
const MAX_BUSY_SHARE = 0.1

/** What everything holds after a collection, in bytes, and what was done so far. */
export async function sampleOf({ minute, page, clock, host, service }) {
  const [main, ...threads] = await clock.heapsOf(service)
  const { page: pageSession, workers } = await heapsOf(page)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  await session.detach()
  const findMetric = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0
  const { passed, abandoned } = await host.counts()
  const times = (end) => Object.entries(passed).reduce((sum, [name, n]) => (name.endsWith(end) ? sum + n : sum), 0)
  return {
    minute,
    page: pageSession,
    workers,
    service: main.objects,
    threads: threads.reduce((sum, { objects }) => sum + objects, 0),
    code: main.code,
    buffers: main.buffers,
    rss: main.rss,
    nodes: findMetric('Nodes'),
    listeners: findMetric('JSEventListeners'),
    contexts: times('/context'),
    beats: times('/status'),
    looks: times('/pencil-result'),
    abandoned,
  }
}

/** A sample as it is shown: bytes as KB. */
export function rowOf({ minute, page, workers, service, threads, code, buffers, rss, ...counts }) {
  const kb = (bytes) => Math.round(bytes / 1024)
  const memory = {
    page: kb(page),
    workers: kb(workers),
    service: kb(service),
    threads: kb(threads),
    code: kb(code),
    buffers: kb(buffers),
    rss: kb(rss),
  }
  return { hours: minute / 60, ...memory, ...counts }
}

/**
 * One line for each thing that has grown: the least of the last three samples against the median of
 * the second to fourth. What is held for a moment, such as a place on a busy machine that is not
 * yet left, is let go again; what leaks never is.
 */
export function grownIn(samples) {
  return judged.flatMap((name) => {
    const before = median(samples.slice(1, 4).map((sample) => sample[name]))
    const after = Math.min(...samples.slice(-3).map((sample) => sample[name]))
    const grown = after / before - 1
    return grown > MAX_BUSY_SHARE ? [`${name} grew from ${before} to ${after}, by ${(grown * 100).toFixed(1)}%.`] : []
  })
}
