import type { PageFault } from '../../shared/ipc/app.ts'
import { call } from '../ipc/call.ts'
import { isCancellation } from './errors.ts'

/** The same fault is reported again only after this time. */
const REPEAT_INTERVAL_MS = 10_000
const MAX_REMEMBERED_FAULTS = 100
const reportTimes = new Map<string, number>()

/** Reports a fault of the page to the service's log, at most once per interval. Never throws. */
export function reportFault(kind: PageFault['kind'], thrown: unknown, location: string): void {
  if (isCancellation(thrown)) return
  // Vue's errors do not appear in the console by themselves, where a developer looks first.
  // eslint-disable-next-line no-console
  if (kind === 'place' || kind === 'component') console.error(thrown)
  const { message, stack } = describeThrown(thrown)
  const faultKey = `${kind} ${location} ${message}`
  const lastReportTime = reportTimes.get(faultKey)
  if (lastReportTime !== undefined && performance.now() - lastReportTime < REPEAT_INTERVAL_MS) return
  if (reportTimes.size >= MAX_REMEMBERED_FAULTS) reportTimes.clear()
  reportTimes.set(faultKey, performance.now())
  const fault = { kind, message: message.slice(0, 2_000), stack: stack.slice(0, 8_000), where: location.slice(0, 200) }
  void call('app.reportFault', fault).catch(() => undefined)
}

export function describeThrown(thrown: unknown): { readonly message: string; readonly stack: string } {
  if (thrown instanceof Error) return { message: `${thrown.name}: ${thrown.message}`, stack: thrown.stack ?? '' }
  return { message: typeof thrown === 'string' ? thrown : Object.prototype.toString.call(thrown), stack: '' }
}

/** Vue catches errors here without breaking the rendering. A built page has codes. */
const harmlessPlaces = new Set([
  'watcher callback',
  'watcher cleanup function',
  'native event handler',
  'component event handler',
  ...['3', '4', '5', '6'].map((code) => `https://vuejs.org/error-reference/#runtime-${code}`),
])

/** True if a part of the page failed, not only an action; `info` is Vue's place of the error. */
export function isRenderingFault(info: string): boolean {
  return !harmlessPlaces.has(info)
}
