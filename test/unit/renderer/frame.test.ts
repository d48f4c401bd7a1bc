import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBinaryFrame } from '../../../renderer/transport/binary-frame.web.ts'

const frame = (head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const fullBytes = new Uint8Array(4 + head.length + body.length)
  new DataView(fullBytes.buffer).setUint32(0, head.length)
  fullBytes.set(head, 4)
  fullBytes.set(body, 4 + head.length)
  return fullBytes
}

/** An answer whose body arrives in pieces that end at these positions. */
function createResponse(
  frameBytes: Uint8Array<ArrayBuffer>,
  cuts: readonly number[],
  length: number | null = frameBytes.length,
): Response {
  const ends = [...new Set(cuts.map((cut) => cut % (frameBytes.length + 1)))].sort((a, b) => a - b)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let offset = 0
      for (const end of [...ends, frameBytes.length]) {
        if (end > offset) controller.enqueue(frameBytes.slice(offset, end))
        offset = Math.max(offset, end)
      }
      controller.close()
    },
  })
  return new Response(body, length === null ? {} : { headers: { 'content-length': String(length) } })
}

describe('a binary frame', () => {
  test('is read the same for any chunks, with or without a declared length', async () => {
    const some = fc.uint8Array({ maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(
        some,
        some,
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.boolean(),
        async (head, body, cuts, isLengthDeclared) => {
          const fullBytes = frame(head, body)
          const result = await readBinaryFrame(
            createResponse(fullBytes, cuts, isLengthDeclared ? fullBytes.length : null),
            0,
          )
          expect([...result.header]).toEqual([...head])
          expect([...new Uint8Array(result.bytes)]).toEqual([...body])
        },
      ),
    )
  })

  test('is rejected if it is shorter or longer than declared, or ends within its header', async () => {
    const fullBytes = frame(new Uint8Array(3), new Uint8Array(5))
    await expect(readBinaryFrame(createResponse(fullBytes, [], fullBytes.length + 1), 0)).rejects.toThrow('ends early')
    await expect(readBinaryFrame(createResponse(fullBytes, [], fullBytes.length - 1), 0)).rejects.toThrow(
      'longer than it says',
    )
    await expect(readBinaryFrame(createResponse(fullBytes.slice(0, 5), [2]), 0)).rejects.toThrow('ends early')
    await expect(readBinaryFrame(createResponse(fullBytes.slice(0, 5), [2], null), 0)).rejects.toThrow('ends early')
  })
})
