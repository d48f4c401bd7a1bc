import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HostTokenStream } from '../../../electron/core/redaction/host-tokens.ts'

const part = fc.constantFrom('mnb0.', 'mn', 'b0.', 'aZ9-_', '"', ' ', 'é', 'mnb0.aZ9')

test('safety 69: a token of no profile is masked in bytes, wherever these are cut', () => {
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat({ max: 12 })), (parts, lengths) => {
      const text = parts.join('')
      const bytes = Buffer.from(text)
      const stream = new HostTokenStream()
      const masked: Buffer[] = []
      let offset = 0
      for (const length of [...lengths, bytes.length]) {
        masked.push(stream.push(Buffer.from(bytes.subarray(offset, offset + length))))
        offset += length
      }
      const expected = text.replace(
        /(mnb0\.)([\w.~+/=%-]*)/g,
        (_, start: string, rest: string) => start + '*'.repeat(rest.length),
      )
      expect(Buffer.concat(masked).toString()).toBe(expected)
      expect(stream.maskedCount).toBe(text.match(/mnb0\.[\w.~+/=%-]*/g)?.length ?? 0)
    }),
  )
})
