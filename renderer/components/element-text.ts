import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import { scanElementRanges, getElementText } from '../../shared/json/list-elements.ts'

/** Smaller responses are searched synchronously. */
const MAX_SYNC_SEARCH_BYTES = 256 * 1024
const SLICE_MS = 8

/** Element ranges by response and list. The entries live as long as the response. */
const rangesByResponse = new WeakMap<ArrayBuffer, Map<string | null, Promise<Uint32Array>>>()

/**
 * Finds the byte ranges of the elements of a list in a response. Each list is searched once, in
 * slices.
 */
export function findElementRanges(raw: ArrayBuffer, member: string | null): Promise<Uint32Array> {
  const rangesByList = rangesByResponse.get(raw) ?? new Map<string | null, Promise<Uint32Array>>()
  rangesByResponse.set(raw, rangesByList)
  const ranges = rangesByList.get(member) ?? scanInSlices(raw, member)
  rangesByList.set(member, ranges)
  return ranges
}

async function scanInSlices(raw: ArrayBuffer, member: string | null): Promise<Uint32Array> {
  const steps = scanElementRanges(new Uint8Array(raw), member)
  let sliceStart = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - sliceStart < SLICE_MS) continue
    await new Promise((resolve) => setTimeout(resolve))
    sliceStart = performance.now()
  }
}

/**
 * Returns the exact text of one element; null if there is no such element.
 * @param ranges start and end offset of every element
 */
export function sliceElementText(raw: ArrayBuffer, ranges: Uint32Array, index: number): string | null {
  const [start, end] = [ranges[index * 2], ranges[index * 2 + 1]]
  if (start === undefined || end === undefined) return null
  return decodeUtf8(new Uint8Array(raw, start, end - start)).text
}

/** `member` is the list that contains the element; null if the response itself is the list. */
interface ElementLocation {
  readonly raw: ArrayBuffer
  readonly member: string | null
  readonly index: number
}

/**
 * Returns the exact text of one element of a list as the host sent it. Null if there is no such
 * element, and until a long response has been searched.
 */
export function useElementText(location: () => ElementLocation): ShallowRef<string | null> {
  const text = shallowRef<string | null>(null)
  let lastRequest = 0
  watch(
    location,
    ({ raw, member, index }) => {
      const request = (lastRequest += 1)
      if (raw.byteLength < MAX_SYNC_SEARCH_BYTES) {
        text.value = getElementText(decodeUtf8(new Uint8Array(raw)).text, member, index)
        return
      }
      void findElementRanges(raw, member).then((ranges) => {
        if (request === lastRequest) text.value = sliceElementText(raw, ranges, index)
      })
    },
    { immediate: true },
  )
  onScopeDispose(() => (lastRequest += 1))
  return text
}
