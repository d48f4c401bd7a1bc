import type { AnswerMeta } from '../../shared/ipc/bridge.ts'

/** An answer that is kept so that ids can be looked up in it. */
interface SeenAnswer {
  readonly meta: AnswerMeta
  readonly raw: ArrayBuffer
}

/** Bounds of what is kept: the newest answers, without the few that would crowd out all others. */
const MOST_BYTES = 16 * 1024 * 1024
const MOST_OF_ONE = 4 * 1024 * 1024
const MOST = 80

/** Newest first. */
let kept: readonly SeenAnswer[] = []

/** Keeps an answer, in place of an earlier one to the same GET. */
export function keepSeen(meta: AnswerMeta, raw: ArrayBuffer): void {
  if (raw.byteLength > MOST_OF_ONE) return
  const again = (one: SeenAnswer): boolean => one.meta.method === 'GET' && one.meta.path === meta.path
  let bytes = raw.byteLength
  const rest = kept.filter((one) => {
    if (again(one)) return false
    bytes += one.raw.byteLength
    return bytes <= MOST_BYTES
  })
  kept = [{ meta, raw }, ...rest].slice(0, MOST)
}

/** The answers of this host that are still kept, newest first. */
export const answersSeen = (): readonly SeenAnswer[] => kept

/** Another host has other things under the same ids. */
export function forgetSeen(): void {
  kept = []
}
