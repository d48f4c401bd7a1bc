import type { PageFault } from '../../shared/ipc/app.ts'
import { call } from '../ipc/call.ts'
import { isCancelled } from './errors.ts'

/** The same fault is reported again after this long, milliseconds. */
const AGAIN_AFTER_MS = 10_000
/** Different faults kept in mind. */
const MOST = 100
const reported = new Map<string, number>()

/** Reports a fault of the page to the service's log. Never throws, and says the same thing once. */
export function reportFault(kind: PageFault['kind'], thrown: unknown, where: string): void {
  if (isCancelled(thrown)) return
  // What Vue gives us does not come to the console by itself, and there a developer looks first.
  // eslint-disable-next-line no-console
  if (kind === 'place' || kind === 'component') console.error(thrown)
  const { message, stack } = wordsOf(thrown)
  const key = `${kind} ${where} ${message}`
  const last = reported.get(key)
  if (last !== undefined && performance.now() - last < AGAIN_AFTER_MS) return
  if (reported.size >= MOST) reported.clear()
  reported.set(key, performance.now())
  const fault = { kind, message: message.slice(0, 2_000), stack: stack.slice(0, 8_000), where: where.slice(0, 200) }
  void call('app.reportFault', fault).catch(() => undefined)
}

/** What a thrown thing says, whatever was thrown. */
export function wordsOf(thrown: unknown): { readonly message: string; readonly stack: string } {
  if (thrown instanceof Error) return { message: `${thrown.name}: ${thrown.message}`, stack: thrown.stack ?? '' }
  return { message: typeof thrown === 'string' ? thrown : Object.prototype.toString.call(thrown), stack: '' }
}

/** Where Vue meets an error without the drawing being broken; by its words, and by the numbers that they are in a built page. */
const harmless = new Set([
  'watcher callback',
  'watcher cleanup function',
  'native event handler',
  'component event handler',
  ...['3', '4', '5', '6'].map((code) => `https://vuejs.org/error-reference/#runtime-${code}`),
])

/** Whether an error that Vue met at `info` leaves something undrawn; otherwise what was asked for did not happen, and that is all. */
export const breaksDrawing = (info: string): boolean => !harmless.has(info)
