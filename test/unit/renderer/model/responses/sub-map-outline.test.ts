import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildSubMapOutline, getParentTitles } from '../../../../../renderer/model/responses/sub-map-outline.ts'

describe('the outline of sub-maps', () => {
  const subMap = (title: string, parentPath?: unknown) => ({ noteid: title, title, parentPath })
  const titles = (list: ReturnType<typeof subMap>[]) =>
    buildSubMapOutline(list).map(({ subMap: { title }, level }) => `${'>'.repeat(level)}${title ?? ''}`)

  test('nests each one below the nearest sub-map of its path', () => {
    expect(
      titles([subMap('C', ['root', 'A', 'x', 'B']), subMap('A', ['root']), subMap('B', ['root', 'A', 'x'])]),
    ).toEqual(['A', '>B', '>>C'])
  })

  test('puts one whose path is not a list of titles at the top, marked', () => {
    const rows = buildSubMapOutline([subMap('A', 7), subMap('B', [])])
    expect(rows.map(({ isOrphan: orphan }) => orphan)).toEqual([true, false])
    expect(getParentTitles(subMap('A', 'one / two'))).toEqual(['one', 'two'])
  })

  test('contains each sub-map exactly once', () => {
    const outlineEntry = fc.record({
      noteid: fc.uuid(),
      title: fc.constantFrom('a', 'b', 'c'),
      parentPath: fc.oneof(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }), fc.jsonValue()),
    })
    fc.assert(
      fc.property(fc.array(outlineEntry), (list) => {
        expect(
          buildSubMapOutline(list)
            .map(({ subMap: { noteid } }) => noteid)
            .sort(),
        ).toEqual(list.map(({ noteid }) => noteid).sort())
      }),
    )
  })
})
