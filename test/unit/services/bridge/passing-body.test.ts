import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodePassingBody } from '../../../../electron/services/bridge/wire/body-decoder.ts'

const PIECE = Buffer.alloc(64 * 1024, 'a')
/** The header of a gzip member whose file name follows. */
const NAMED_HEADER = Buffer.from('1f8b0808000000000003', 'hex')

test('a body that decodes to nothing is not held without bound', async () => {
  let sentBytes = 0
  function* createEndlessName(): Generator<Buffer> {
    yield NAMED_HEADER
    for (;;) {
      sentBytes += PIECE.byteLength
      yield PIECE
    }
  }
  const body = Readable.from(createEndlessName(), { objectMode: false })
  const { stream } = await decodePassingBody(body, 'gzip', null)
  expect(sentBytes).toBeLessThan(4 * 1024 * 1024)
  stream.destroy()
  body.destroy()
})

test('a body that decodes late passes whole', async () => {
  const text = 'the text '.repeat(1_000)
  const encoded = gzipSync(text)
  const pieces = [NAMED_HEADER, ...Array<Buffer>(24).fill(PIECE), Buffer.from([0]), encoded.subarray(10)]
  const { stream, isDecoded } = await decodePassingBody(Readable.from(pieces, { objectMode: false }), 'gzip', null)
  expect(isDecoded).toBe(true)
  expect(Buffer.concat((await stream.toArray()) as Buffer[]).toString()).toBe(text)
})

test('a body that is damaged only after its first pieces passes as it was received', async () => {
  const text = randomBytes(300_000).toString('hex')
  const encoded = gzipSync(text)
  expect(encoded.byteLength).toBeGreaterThan(200_000)
  encoded.fill(0xff, encoded.byteLength - 1_000)
  const pieces = Array.from({ length: Math.ceil(encoded.byteLength / 16_384) }, (_, index) =>
    encoded.subarray(index * 16_384, (index + 1) * 16_384),
  )
  const body = Readable.from(pieces, { objectMode: false })
  const { stream, isDecoded } = await decodePassingBody(body, 'gzip', encoded.byteLength)
  expect(isDecoded).toBe(false)
  expect(Buffer.concat((await stream.toArray()) as Buffer[]).equals(encoded)).toBe(true)
})
