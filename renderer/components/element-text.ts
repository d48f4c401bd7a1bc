import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import { scanElementRanges, getElementText } from '../../shared/json/list-elements.ts'

/** Smaller responses are searched synchronously. */
const MAX_SYNC_SEARCH_BYTES = 256 * 1024
const SLICE_MS = 8

/** Element ranges by response and list. The entries live as long as the response. */
const rangesByResponse = new WeakMap<ArrayBuffer, Map<string | null, Promise<Uint32Array>>>()

/** Byte ranges of a list's elements. Each list is searched once, in slices. */
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

/** The exact text of one element, by start and end of each in `ranges`; null if there is none. */
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

/** The element as the host sent it; null without it, and until a long response was searched. */
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
