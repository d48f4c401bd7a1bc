import { describe, expect, test } from 'vitest'
import { WrapperLines } from '../../../../electron/services/panel/call/wrapper-lines.ts'
import { findInitiatorFrame, type CallFrame } from '../../../../shared/traffic/call-initiator.ts'

const createFrame = (file: string, line: number, changed: Partial<CallFrame> = {}): CallFrame => ({
  ...{ functionName: '', file, line, column: 5, isAsync: false, original: null, isLibrary: false, isWrapper: false },
  ...changed,
})
const bridge = createFrame('/src/bridge.ts', 3)
const getLine = (frames: readonly CallFrame[]): string => {
  const frame = findInitiatorFrame(frames)
  return `${frame?.file}:${frame?.line}`
}

describe('wrappers of the calls of a panel', () => {
  test.each([['bridge.ts'], ['src/bridge.ts'], ['src'], ['./src/bridge.ts']])('are named by %s', (name) => {
    const marked = new WrapperLines(() => [name]).mark([bridge, createFrame('/app/main.ts', 8)])
    expect(getLine(marked)).toBe('/app/main.ts:8')
  })

  test.each([['ridge.ts'], ['lib/bridge.ts'], ['']])('are not named by %j', (name) => {
    expect(getLine(new WrapperLines(() => [name]).mark([bridge, createFrame('/app/main.ts', 8)]))).toBe(
      '/src/bridge.ts:3',
    )
  })

  test('are named by their original source', () => {
    const compiled = createFrame('/out/a.js', 1, { original: { file: '/src/bridge.ts', line: 3, column: 1 } })
    expect(getLine(new WrapperLines(() => ['bridge.ts']).mark([compiled, createFrame('/out/a.js', 9)]))).toBe(
      '/out/a.js:9',
    )
  })

  const observe = (calls: readonly (readonly [route: string, ...frames: CallFrame[]])[]) => {
    const wrappers = new WrapperLines(() => [])
    const stacks = new Map<string, readonly CallFrame[]>()
    for (const [index, [route, ...frames]] of calls.entries()) {
      const marked = wrappers.mark(frames)
      stacks.set(String(index), marked)
      for (const [id, changed] of wrappers.observe(String(index), route, marked)) stacks.set(id, wrappers.mark(changed))
    }
    return [...stacks.values()].map(getLine)
  }
  const caller = (line: number) => createFrame('/src/cards.ts', line)

  test('are guessed when all calls come from one line, also for the calls before', () => {
    expect(
      observe([
        ['status.get', bridge, caller(1)],
        ['status.get', bridge, caller(1)],
        ['notes.get', bridge, caller(2)],
        ['notes.get', bridge, caller(3)],
      ]),
    ).toEqual(['/src/cards.ts:1', '/src/cards.ts:1', '/src/cards.ts:2', '/src/cards.ts:3'])
  })

  test.each([
    ['all calls are of one route', ['notes.get', 'notes.get', 'notes.get', 'notes.get'], [1, 2, 3, 4]],
    ['one line makes them in a loop', ['a', 'b', 'c', 'd'], [1, 1, 1, 1]],
  ])('are not guessed where %s', (_, routes, lines) => {
    const calls = routes.map((route, index) => [route, bridge, caller(lines[index] ?? 0)] as const)
    expect(new Set(observe(calls))).toEqual(new Set(['/src/bridge.ts:3']))
  })

  test('are not guessed where other lines make calls, too', () => {
    const calls = ['a', 'b', 'c'].flatMap((route, index) => [
      [route, bridge, caller(index + 1)] as const,
      [route, createFrame('/src/direct.ts', index + 1), caller(9)] as const,
    ])
    expect(observe(calls)).toContain('/src/bridge.ts:3')
  })
})
