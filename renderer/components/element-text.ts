import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import { scanElementRanges, getElementText } from '../../shared/json/list-elements.ts'

/** Answers smaller than this, in bytes, are searched at once. */
const MAX_SYNC_SEARCH_BYTES = 256 * 1024
const SLICE_MS = 8

/** Element ranges already found, kept as long as their answers are. */
const known = new WeakMap<ArrayBuffer, Map<string | null, Promise<Uint32Array>>>()

/** Where the elements of a list are in an answer's bytes: searched once, in slices. */
export function findElementRanges(raw: ArrayBuffer, member: string | null): Promise<Uint32Array> {
  const own = known.get(raw) ?? new Map<string | null, Promise<Uint32Array>>()
  known.set(raw, own)
  const found = own.get(member) ?? indexOf(raw, member)
  own.set(member, found)
  return found
}

async function indexOf(raw: ArrayBuffer, member: string | null): Promise<Uint32Array> {
  const steps = scanElementRanges(new Uint8Array(raw), member)
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - since < SLICE_MS) continue
    await new Promise((resolve) => setTimeout(resolve))
    since = performance.now()
  }
}

/** The exact text of one element, given all ranges; null if there is none. */
export function sliceElementText(raw: ArrayBuffer, ranges: Uint32Array, at: number): string | null {
  const [start, end] = [ranges[at * 2], ranges[at * 2 + 1]]
  if (start === undefined || end === undefined) return null
  return decodeUtf8(new Uint8Array(raw, start, end - start)).text
}

/** Where an element is: the answer's bytes, the member that is the list (null: the answer itself), and its index in it. */
interface ElementLocation {
  readonly raw: ArrayBuffer
  readonly member: string | null
  readonly index: number
}

/**
 * The exact text of one element of an answer's list, as the host sent it. Null if there is none, and while it is being looked up; a long
 * answer is searched once, in slices.
 */
export function useElementText(place: () => ElementLocation): ShallowRef<string | null> {
  const text = shallowRef<string | null>(null)
  let asked = 0
  watch(
    place,
    ({ raw, member, index: at }) => {
      const mine = (asked += 1)
      if (raw.byteLength < MAX_SYNC_SEARCH_BYTES) {
        text.value = getElementText(decodeUtf8(new Uint8Array(raw)).text, member, at)
        return
      }
      void findElementRanges(raw, member).then((ranges) => {
        if (mine === asked) text.value = sliceElementText(raw, ranges, at)
      })
    },
    { immediate: true },
  )
  onScopeDispose(() => (asked += 1))
  return text
}
