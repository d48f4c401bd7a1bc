import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import { scanElementRanges, getElementText } from '../../shared/json/list-elements.ts'

/** Smaller responses are searched synchronously. */
const MAX_SYNC_SEARCH_BYTES = 256 * 1024
const SLICE_MS = 8

/** Caches element ranges by response and list; the entries live as long as the response. */
const rangesByResponse = new WeakMap<ArrayBuffer, Map<string | null, Promise<Uint32Array>>>()

/**
 * Finds the byte ranges of the elements of a list in a response; each list is searched once, in
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
 * Cuts out the exact text of one element; null if there is none. `ranges` has the start and end
 * offsets of every element.
 */
export function sliceElementText(raw: ArrayBuffer, ranges: Uint32Array, index: number): string | null {
  const [start, end] = [ranges[index * 2], ranges[index * 2 + 1]]
  if (start === undefined || end === undefined) return null
  return decodeUtf8(new Uint8Array(raw, start, end - start)).text
}

/**
 * Locates an element: the bytes of a response, the member that is the list (null: the response
 * itself), and the index in it.
 */
interface ElementLocation {
  readonly raw: ArrayBuffer
  readonly member: string | null
  readonly index: number
}

/**
 * Returns the exact text of one element of a response's list, as the host sent it. Null if there is
 * none, and during the search of a long response.
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
