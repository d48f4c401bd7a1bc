/** Work that may be interrupted at every `yield`. */
export type Steps<Result> = Generator<undefined, Result>

/** Compares two entries by their numbers. */
export type Compare = (a: number, b: number) => number

const RUN = 8
/** Entries merged between two interruptions: about a tenth of a millisecond, a few with a slow comparison. */
const STRIDE = 1024

/** The numbers 0 to `count` - 1, sorted stably; what is sorted already costs one comparison for each. */
export function* mergeSorted(count: number, compare: Compare): Steps<Uint32Array> {
  let from: Uint32Array = inOrder(count)
  for (let start = 0; start < count; start += RUN) {
    insertionSort(from, start, Math.min(start + RUN, count), compare)
    if (start % STRIDE === 0) yield
  }
  let to: Uint32Array = new Uint32Array(count)
  for (let width = RUN; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width)
      yield* merge(from, to, start, Math.min(start + width, count), Math.min(start + 2 * width, count), compare)
    ;[from, to] = [to, from]
  }
  return from
}

/** The numbers 0 to `count` - 1. */
export function inOrder(count: number): Uint32Array {
  const list = new Uint32Array(count)
  for (let at = 0; at < count; at += 1) list[at] = at
  return list
}

function insertionSort(list: Uint32Array, start: number, end: number, compare: Compare): void {
  for (let at = start + 1; at < end; at += 1) {
    const moved = list[at] ?? 0
    let to = at
    for (; to > start && compare(list[to - 1] ?? 0, moved) > 0; to -= 1) list[to] = list[to - 1] ?? 0
    list[to] = moved
  }
}

/** Merges what is sorted in `from` between `start` and `middle`, and between `middle` and `end`, into `to`. */
function* merge(
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  middle: number,
  end: number,
  compare: Compare,
): Steps<void> {
  if (middle >= end || compare(from[middle - 1] ?? 0, from[middle] ?? 0) <= 0) {
    to.set(from.subarray(start, end), start)
    return
  }
  let left = start
  let right = middle
  let at = start
  while (left < middle && right < end) {
    for (const pause = at + STRIDE; at < pause && left < middle && right < end; at += 1) {
      const a = from[left] ?? 0
      const b = from[right] ?? 0
      const takeLeft = compare(a, b) <= 0
      to[at] = takeLeft ? a : b
      if (takeLeft) left += 1
      else right += 1
    }
    yield
  }
  to.set(left < middle ? from.subarray(left, middle) : from.subarray(right, end), at)
}
