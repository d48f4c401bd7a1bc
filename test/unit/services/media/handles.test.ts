import { Readable } from 'node:stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ContentHandles, MAX_CONTENT_HANDLES } from '../../../../electron/services/media/content-handles.ts'
import type { LibraryItem } from '../../../../electron/services/media/content-library.ts'
import { linkSignals } from '../../../../electron/services/media/piece-stream.ts'
import { createResponseTail } from '../../../../electron/services/media/response-tail.ts'

afterEach(() => void vi.useRealTimers())

describe('response tail', () => {
  const createTail = () => {
    const body = Readable.from([Buffer.alloc(9)])
    return { body, rest: createResponseTail(body.iterator() as AsyncIterator<Buffer>, body, 5) }
  }

  test('is released if nobody claims it', () => {
    vi.useFakeTimers()
    const { body, rest } = createTail()
    vi.advanceTimersByTime(9_900)
    expect([rest.isGone, body.destroyed]).toEqual([false, false])
    vi.advanceTimersByTime(200)
    expect([rest.isGone, body.destroyed, rest.claim()]).toEqual([true, true, false])
  })

  test('belongs to the first caller that claims it, for any time', () => {
    vi.useFakeTimers()
    const { body, rest } = createTail()
    expect([rest.claim(), rest.claim(), rest.isGone]).toEqual([true, false, true])
    vi.advanceTimersByTime(60_000)
    expect(body.destroyed).toBe(false)
    rest.drop()
    expect(body.destroyed).toBe(true)
  })
})

describe('handles of a page', () => {
  const item = {} as LibraryItem

  test('are limited in number, and the least recently used one is removed', () => {
    const removedIds: string[] = []
    const handles = new ContentHandles(({ id }) => removedIds.push(id))
    const [first, second] = [handles.create('a', item), handles.create('a', item)]
    for (let index = 2; index < MAX_CONTENT_HANDLES; index += 1) handles.create('a', item)
    handles.create('b', item)
    expect(removedIds).toEqual([])
    handles.find(first.id, () => true)
    handles.create('a', item)
    expect(removedIds).toEqual([second.id])
    expect(second.releaseController.signal.aborted).toBe(true)
    expect(handles.find(first.id, (page) => page === 'a')).toBe(first)
  })

  test('expire after a time without use', () => {
    let now = 0
    const handles = new ContentHandles(
      () => undefined,
      () => now,
    )
    const old = handles.create('a', item)
    const used = handles.create('a', item)
    now = 11 * 3_600_000
    handles.find(used.id, () => true)
    now = 13 * 3_600_000
    handles.create('b', item)
    expect([handles.find(old.id, () => true), handles.find(used.id, () => true)]).toEqual([null, used])
  })

  test('are all distinct', () => {
    const handles = new ContentHandles(() => undefined)
    const ids = Array.from({ length: 1_000 }, () => handles.create('a', item).id)
    expect(new Set(ids).size).toBe(1_000)
    for (const id of ids) expect(id).toMatch(/^[\w-]{32}$/)
  })
})

describe('linked signals', () => {
  test('abort with the first of them', () => {
    const [first, second] = [new AbortController(), new AbortController()]
    const linked = linkSignals(first.signal, second.signal)
    expect(linked.signal.aborted).toBe(false)
    second.abort()
    expect(linked.signal.aborted).toBe(true)
    expect(linkSignals(first.signal, second.signal).signal.aborted).toBe(true)
    const unlinked = linkSignals(first.signal)
    unlinked.unlink()
    first.abort()
    expect(unlinked.signal.aborted).toBe(false)
  })
})
