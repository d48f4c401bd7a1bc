import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBinaryFrame } from '../../../renderer/transport/binary-frame.web.ts'

const frame = (head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(4 + head.length + body.length)
  new DataView(whole.buffer).setUint32(0, head.length)
  whole.set(head, 4)
  whole.set(body, 4 + head.length)
  return whole
}

/** An answer whose body arrives in pieces that end at these positions. */
function answer(
  whole: Uint8Array<ArrayBuffer>,
  cuts: readonly number[],
  length: number | null = whole.length,
): Response {
  const ends = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let at = 0
      for (const end of [...ends, whole.length]) {
        if (end > at) controller.enqueue(whole.slice(at, end))
        at = Math.max(at, end)
      }
      controller.close()
    },
  })
  return new Response(body, length === null ? {} : { headers: { 'content-length': String(length) } })
}

describe('a binary answer', () => {
  test('is the same however it is chunked, with or without a declared length', async () => {
    const some = fc.uint8Array({ maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(
        some,
        some,
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.boolean(),
        async (head, body, cuts, said) => {
          const whole = frame(head, body)
          const taken = await readBinaryFrame(answer(whole, cuts, said ? whole.length : null), 0)
          expect([...taken.header]).toEqual([...head])
          expect([...new Uint8Array(taken.bytes)]).toEqual([...body])
        },
      ),
    )
  })

  test('that is shorter or longer than declared, or ends within its head, is not an answer', async () => {
    const whole = frame(new Uint8Array(3), new Uint8Array(5))
    await expect(readBinaryFrame(answer(whole, [], whole.length + 1), 0)).rejects.toThrow('ends early')
    await expect(readBinaryFrame(answer(whole, [], whole.length - 1), 0)).rejects.toThrow('longer than it says')
    await expect(readBinaryFrame(answer(whole.slice(0, 5), [2]), 0)).rejects.toThrow('ends early')
    await expect(readBinaryFrame(answer(whole.slice(0, 5), [2], null), 0)).rejects.toThrow('ends early')
  })
})
