/** @module-tag slow */

import type { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { createGeneratedSound } from '../../../../electron/demo-host/media/melody.ts'
import { startContentHost, type RangeHandling } from '../../../support/hosts/content-host.ts'
import { createGateway, createContentRef, PAGE_CALLER } from '../../../support/services/content-gateway.ts'

const MB = 1024 * 1024
const film = createGeneratedSound(500 * MB)

/** Reads this many bytes slowly, to catch a gateway that reads ahead, and then ends the stream. */
async function readSlowly(body: Readable, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body) {
    pieces.push(piece as Buffer)
    size += (piece as Buffer).length
    if (size >= bytes) break
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return Buffer.concat(pieces).subarray(0, bytes)
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/**
 * Returns the memory that is held after a collection. The size of the process would include
 * garbage.
 */
const measureUsedBytes = (): number => {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe('safety 21: video of 500 MB', () => {
  test.each<RangeHandling>(['answered', 'ignored'])(
    'is never held in memory, wherever the player seeks (ranges %s by the host)',
    async (ranges) => {
      const host = await startContentHost(film, { type: 'video/mp4', ranges })
      const { contents, neverAborted } = createGateway(host.baseUrl)
      const { handle, byteLength } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
      expect(byteLength).toBe(500 * MB)
      const serve = async (range: string, takesPieces: boolean) =>
        contents.serve({
          method: 'GET',
          handle,
          range,
          ifRange: null,
          isDownload: false,
          isForImage: false,
          canTakePieces: takesPieces,
          canUse: () => true,
          signal: neverAborted,
        })
      // The first request creates code and buffers that are not counted.
      await readSlowly((await serve('bytes=1000000-', false)).body as Readable, MB)
      const before = measureUsedBytes()
      let maxUsedBytes = 0
      // A host that ignores ranges sends everything before each of them.
      const seeks = ranges === 'ignored' ? [0, 499, 10] : [0, 499, 250, 10, 400]
      for (const offset of seeks.map((megabytes) => megabytes * MB)) {
        const { status, body } = await serve(`bytes=${offset}-`, offset % 2 === 0)
        expect(status).toBe(206)
        const bytes = await readSlowly(body as Readable, 3 * MB)
        expect(bytes.equals(film.make(offset, Math.min(film.size, offset + 3 * MB)))).toBe(true)
        maxUsedBytes = Math.max(maxUsedBytes, measureUsedBytes() - before)
        // The host sees at once that the reader has stopped.
        await expect.poll(() => host.countOpenResponses()).toBe(0)
      }
      expect(maxUsedBytes).toBeLessThan(64 * MB)
      expect(contents.getUsage().bytes).toBeLessThan(MB)
    },
  )

  test('is not read further while it is paused, and does not count as idle', async () => {
    const host = await startContentHost(film, { type: 'video/mp4' })
    const { contents, neverAborted } = createGateway(host.baseUrl, { limits: { idleTimeoutMs: 1_500 } })
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    const { body } = await contents.serve({
      method: 'GET',
      handle,
      range: 'bytes=0-',
      ifRange: null,
      isDownload: false,
      isForImage: false,
      canTakePieces: false,
      canUse: () => true,
      signal: neverAborted,
    })
    const pieces = (body as Readable).iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    const first = await pieces.next()
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    const second = await pieces.next()
    const offset = (first.value as Buffer).length
    expect((second.value as Buffer).equals(film.make(offset, offset + (second.value as Buffer).length))).toBe(true)
    const closed = new Promise((resolve) => body?.once('close', resolve))
    contents.releasePage(PAGE_CALLER)
    await closed
    await expect.poll(() => host.countOpenResponses()).toBe(0)
  })

  test('ends at the host if the player leaves while a part is arriving', async () => {
    const host = await startContentHost(film, { type: 'video/mp4' })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    const playerAbort = new AbortController()
    host.delayMs = 60_000
    const waiting = contents.serve({
      method: 'GET',
      handle,
      range: 'bytes=300000000-',
      ifRange: null,
      isDownload: false,
      isForImage: false,
      canTakePieces: true,
      canUse: () => true,
      signal: playerAbort.signal,
    })
    await expect.poll(() => host.requestedRanges.length).toBe(2)
    playerAbort.abort()
    expect((await waiting).status).toBe(502)
    contents.releasePage(PAGE_CALLER)
    await expect.poll(() => host.countOpenResponses()).toBe(0)
    expect(contents.getUsage()).toEqual({ handles: 0, bytes: 0, requests: 0 })
  })

  test('is saved completely even if the page releases it', async () => {
    const host = await startContentHost(createGeneratedSound(20 * MB), { type: 'video/mp4' })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    const { body } = await contents.serve({
      method: 'GET',
      handle,
      range: null,
      ifRange: null,
      isDownload: true,
      isForImage: false,
      canTakePieces: true,
      canUse: () => true,
      signal: neverAborted,
    })
    contents.release(handle, PAGE_CALLER)
    let size = 0
    for await (const piece of body ?? []) size += (piece as Buffer).length
    expect(size).toBe(20 * MB)
    expect(contents.getUsage()).toEqual({ handles: 0, bytes: 0, requests: 0 })
  })
})
