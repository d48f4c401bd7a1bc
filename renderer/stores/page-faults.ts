import type { PageFault } from '../../shared/ipc/app.ts'
import { call } from '../ipc/call.ts'
import { isCancellation } from './errors.ts'

/** Milliseconds after which the same fault is reported again. */
const REPEAT_INTERVAL_MS = 10_000
/** Distinct faults remembered. */
const MAX_REMEMBERED_FAULTS = 100
const reportTimes = new Map<string, number>()

/** Reports a fault of the page to the service's log. Never throws, and doesn't repeat itself. */
export function reportFault(kind: PageFault['kind'], thrown: unknown, where: string): void {
  if (isCancellation(thrown)) return
  // Vue's errors don't reach the console by themselves, and that is where a developer looks first.
  // eslint-disable-next-line no-console
  if (kind === 'place' || kind === 'component') console.error(thrown)
  const { message, stack } = describeThrown(thrown)
  const key = `${kind} ${where} ${message}`
  const last = reportTimes.get(key)
  if (last !== undefined && performance.now() - last < REPEAT_INTERVAL_MS) return
  if (reportTimes.size >= MAX_REMEMBERED_FAULTS) reportTimes.clear()
  reportTimes.set(key, performance.now())
  const fault = { kind, message: message.slice(0, 2_000), stack: stack.slice(0, 8_000), where: where.slice(0, 200) }
  void call('app.reportFault', fault).catch(() => undefined)
}

/** The message of anything thrown. */
export function describeThrown(thrown: unknown): { readonly message: string; readonly stack: string } {
  if (thrown instanceof Error) return { message: `${thrown.name}: ${thrown.message}`, stack: thrown.stack ?? '' }
  return { message: typeof thrown === 'string' ? thrown : Object.prototype.toString.call(thrown), stack: '' }
}

/** Where Vue catches an error without rendering being broken; by its words, and by the numbers that replace them in a built page. */
const harmless = new Set([
  'watcher callback',
  'watcher cleanup function',
  'native event handler',
  'component event handler',
  ...['3', '4', '5', '6'].map((code) => `https://vuejs.org/error-reference/#runtime-${code}`),
])

/** Whether an error Vue caught at `info` leaves something unrendered; otherwise only the requested action did not happen. */
export const isRenderingFault = (info: string): boolean => !harmless.has(info)
