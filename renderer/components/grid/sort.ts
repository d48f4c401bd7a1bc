import type { CellValue } from './columns.ts'

/** Up to this many rows are sorted at once; more are sorted in slices, so that no task blocks the page. */
const AT_ONCE = 4096
const SLICE_MS = 10

type Compare = (a: number, b: number) => number

/** Compares two rows by their keys: numbers before texts, empty values always last, ties in original order. */
function comparison(keys: readonly CellValue[], descending: boolean, locale: string): Compare {
  const { compare } = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' })
  const sign = descending ? -1 : 1
  return (a, b) => {
    const left = keys[a] ?? null
    const right = keys[b] ?? null
    if (left === right) return a - b
    if (left === null || right === null) return left === null ? 1 : -1
    const both = typeof left === 'number' && typeof right === 'number'
    const order = both
      ? left - right
      : typeof left === typeof right
        ? compare(String(left), String(right))
        : typeof left === 'number'
          ? -1
          : 1
    return order === 0 ? a - b : order * sign
  }
}

/** A later task, at once: a timeout of no time waits four milliseconds when it follows others. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })

/**
 * Row numbers in sorted order. A few rows are sorted on the spot; many by a merge sort that yields to the page and resolves to null when
 * `signal` aborts.
 */
export function sortRows(
  keys: readonly CellValue[],
  descending: boolean,
  locale: string,
  signal: AbortSignal,
): Uint32Array | Promise<Uint32Array | null> {
  const order = new Uint32Array(keys.length)
  for (let index = 0; index < order.length; index += 1) order[index] = index
  const compare = comparison(keys, descending, locale)
  return order.length <= AT_ONCE ? order.sort(compare) : sortInSlices(order, compare, signal)
}

async function sortInSlices(order: Uint32Array, compare: Compare, signal: AbortSignal): Promise<Uint32Array | null> {
  const run = 256
  let sliceStart = performance.now()
  const breathe = async (): Promise<void> => {
    if (performance.now() - sliceStart < SLICE_MS) return
    await nextTask()
    sliceStart = performance.now()
  }
  for (let start = 0; start < order.length; start += run) {
    order.subarray(start, start + run).sort(compare)
    await breathe()
    if (signal.aborted) return null
  }
  let from: Uint32Array = order
  let to: Uint32Array = new Uint32Array(order.length)
  for (let width = run; width < order.length; width *= 2) {
    for (let start = 0; start < order.length; start += 2 * width) {
      const middle = Math.min(start + width, order.length)
      const end = Math.min(start + 2 * width, order.length)
      let left = start
      let right = middle
      for (let at = start; at < end; at += 1) {
        const a = from[left] ?? 0
        const b = from[right] ?? 0
        const takeLeft = left < middle && (right >= end || compare(a, b) <= 0)
        to[at] = takeLeft ? a : b
        if (takeLeft) left += 1
        else right += 1
        if ((at & 1023) === 0) await breathe()
        if (signal.aborted) return null
      }
    }
    ;[from, to] = [to, from]
  }
  return from
}
