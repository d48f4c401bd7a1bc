import type { CDPSession, Page } from '@playwright/test'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  /** Microseconds of the thread's own work, without waiting for a core. */
  readonly tdur?: number
  readonly dur?: number
  readonly args?: { readonly name?: string } & Readonly<Record<string, unknown>>
}

/**
 * Work of the longest task, in milliseconds, on the pages' main threads while `action` runs: the
 * thread's own work, so that a busy machine makes no task longer.
 */
export async function measureLongestTask(page: Page, action: () => Promise<void>): Promise<number> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', {
    traceConfig: { includedCategories: ['toplevel', '__metadata'], excludedCategories: ['*'] },
    transferMode: 'ReportEvents',
  })
  await action()
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await complete
  await session.detach()
  const pages = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  )
  const ownEntries = events.filter(({ ph, pid, tid }) => ph === 'X' && pages.has(`${pid}/${tid}`))
  // Scripts that the spec evaluates in the page do not count as work of the page.
  const devToolsEvents = ownEntries.filter(({ args }) => JSON.stringify(args ?? {}).includes('DevToolsSession'))
  const tasks = ownEntries.filter(
    ({ name, tid, ts, dur }) =>
      name.endsWith('RunTask') &&
      !devToolsEvents.some((event) => event.tid === tid && event.ts >= ts && event.ts <= ts + (dur ?? 0)),
  )
  if (tasks.length === 0) throw new Error('No task of a page was traced.')
  return Math.max(...tasks.map(({ tdur, dur }) => tdur ?? dur ?? 0)) / 1000
}
