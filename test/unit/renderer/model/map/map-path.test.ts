import { describe, expect, test } from 'vitest'
import { layOutPath, MAX_PATH_LINES, type MapPath } from '../../../../../renderer/model/map/map-path.ts'

/** Each call with its cards; a write begins with `!`. */
function createPath(...calls: readonly string[]): MapPath {
  const steps = calls.flatMap((text, call) =>
    text
      .replace('!', '')
      .split(' ')
      .map((node) => ({ node: Number(node), call, isWrite: text.startsWith('!') })),
  )
  return {
    nodes: Int32Array.from(steps, ({ node }) => node),
    calls: Uint32Array.from(steps, ({ call }) => call),
    writes: Uint8Array.from(steps, ({ isWrite }) => (isWrite ? 1 : 0)),
  }
}

/** Cards 3 and 4 are in the collapsed branch of card 1; card 9 is unknown. */
const rows: Record<number, number> = { 0: 0, 1: 1, 2: 2, 3: 1, 4: 1 }
const layOut = (path: MapPath, callCount: number) =>
  layOutPath(
    path,
    callCount,
    (node) => rows[node] ?? -1,
    (node) => node < 3,
  )

describe('layOutPath', () => {
  const path = createPath('0 3 4', '2 9', '!3', '2')

  test('counts calls by row, those below a collapsed card at that card', () => {
    expect(layOut(path, 4).marks).toEqual([
      { row: 0, reads: 1, writes: 0, isNamedItself: true, isLast: false },
      { row: 1, reads: 1, writes: 1, isNamedItself: false, isLast: false },
      { row: 2, reads: 2, writes: 0, isNamedItself: true, isLast: true },
    ])
    expect([...layOut(path, 4).rows]).toEqual([0, 2, 1, 2])
  })

  test('ends with the last call that is shown', () => {
    expect([...layOut(path, 1).rows]).toEqual([0])
    expect(layOut(path, 1).marks.every(({ isLast }) => isLast)).toBe(true)
    expect(layOut(path, 0)).toEqual({ marks: [], rows: new Int32Array(0) })
  })

  test('a long line keeps its end', () => {
    const long = createPath(...Array.from({ length: 2 * MAX_PATH_LINES }, (_, call) => String(call % 3)))
    const { rows: line, marks } = layOut(long, Infinity)
    expect(line).toHaveLength(MAX_PATH_LINES + 1)
    expect(line.at(-1)).toBe((2 * MAX_PATH_LINES - 1) % 3)
    expect(marks.reduce((sum, { reads }) => sum + reads, 0)).toBe(2 * MAX_PATH_LINES)
  })
})
